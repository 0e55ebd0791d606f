-- What structtree has learned about did_not_finish of task_driver_dnf.

-- Leaf 6: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   driver (latest standings.points by date >= 23.8)
--   driver (mean results.positionOrder >= 7.8599)
--   driver (mean qualifying (days_before <= 365.0).position <= 7.17)
--   driver (mean results.grid >= 7.58)
--   driver (mean qualifying.position >= 8.059)
CREATE VIEW "leaf_6" AS
SELECT t1."id"
FROM "task_driver_dnf" AS t1
WHERE t1.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d2 WHERE d2."driverId" = t1."driverId" AND d2."dob" < t1."date" AND (SELECT AVG(r3."points") FROM "results" AS r3 WHERE r3."driverId" = d2."driverId" AND (CAST(strftime('%s', r3."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND ((julianday(t1."date") - 2440587.5) - (CAST(strftime('%s', r3."date") AS INTEGER) / 86400.0)) <= 365 AND r3."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d4 WHERE d4."driverId" = t1."driverId" AND d4."dob" < t1."date" AND (SELECT v FROM (SELECT s5."points" AS v, CAST(strftime('%s', s5."date") AS INTEGER) AS o0, s5.rowid AS o1 FROM "standings" AS s5 WHERE s5."driverId" = d4."driverId" AND (CAST(strftime('%s', s5."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND s5."points" IS NOT NULL AND CAST(strftime('%s', s5."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d6 WHERE d6."driverId" = t1."driverId" AND d6."dob" < t1."date" AND (SELECT AVG(r7."positionOrder") FROM "results" AS r7 WHERE r7."driverId" = d6."driverId" AND (CAST(strftime('%s', r7."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND r7."positionOrder" IS NOT NULL) >= 7.8599e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d8 WHERE d8."driverId" = t1."driverId" AND d8."dob" < t1."date" AND (SELECT AVG(q9."position") FROM "qualifying" AS q9 WHERE q9."driverId" = d8."driverId" AND (CAST(strftime('%s', q9."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND ((julianday(t1."date") - 2440587.5) - (CAST(strftime('%s', q9."date") AS INTEGER) / 86400.0)) <= 365 AND q9."position" IS NOT NULL) <= 7.17e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d10 WHERE d10."driverId" = t1."driverId" AND d10."dob" < t1."date" AND (SELECT AVG(r11."grid") FROM "results" AS r11 WHERE r11."driverId" = d10."driverId" AND (CAST(strftime('%s', r11."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND r11."grid" IS NOT NULL) >= 7.58e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d12 WHERE d12."driverId" = t1."driverId" AND d12."dob" < t1."date" AND (SELECT AVG(q13."position") FROM "qualifying" AS q13 WHERE q13."driverId" = d12."driverId" AND (CAST(strftime('%s', q13."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND q13."position" IS NOT NULL) >= 8.059e0));

-- Leaf 7: 0
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   driver (latest standings.points by date >= 23.8)
--   driver (mean results.positionOrder >= 7.8599)
--   driver (mean qualifying (days_before <= 365.0).position <= 7.17)
--   driver (mean results.grid >= 7.58)
--   not driver (mean qualifying.position >= 8.059)
CREATE VIEW "leaf_7" AS
SELECT t14."id"
FROM "task_driver_dnf" AS t14
WHERE t14.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d15 WHERE d15."driverId" = t14."driverId" AND d15."dob" < t14."date" AND (SELECT AVG(r16."points") FROM "results" AS r16 WHERE r16."driverId" = d15."driverId" AND (CAST(strftime('%s', r16."date") AS INTEGER) / 86400.0) < (julianday(t14."date") - 2440587.5) AND ((julianday(t14."date") - 2440587.5) - (CAST(strftime('%s', r16."date") AS INTEGER) / 86400.0)) <= 365 AND r16."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d17 WHERE d17."driverId" = t14."driverId" AND d17."dob" < t14."date" AND (SELECT v FROM (SELECT s18."points" AS v, CAST(strftime('%s', s18."date") AS INTEGER) AS o0, s18.rowid AS o1 FROM "standings" AS s18 WHERE s18."driverId" = d17."driverId" AND (CAST(strftime('%s', s18."date") AS INTEGER) / 86400.0) < (julianday(t14."date") - 2440587.5) AND s18."points" IS NOT NULL AND CAST(strftime('%s', s18."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d19 WHERE d19."driverId" = t14."driverId" AND d19."dob" < t14."date" AND (SELECT AVG(r20."positionOrder") FROM "results" AS r20 WHERE r20."driverId" = d19."driverId" AND (CAST(strftime('%s', r20."date") AS INTEGER) / 86400.0) < (julianday(t14."date") - 2440587.5) AND r20."positionOrder" IS NOT NULL) >= 7.8599e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d21 WHERE d21."driverId" = t14."driverId" AND d21."dob" < t14."date" AND (SELECT AVG(q22."position") FROM "qualifying" AS q22 WHERE q22."driverId" = d21."driverId" AND (CAST(strftime('%s', q22."date") AS INTEGER) / 86400.0) < (julianday(t14."date") - 2440587.5) AND ((julianday(t14."date") - 2440587.5) - (CAST(strftime('%s', q22."date") AS INTEGER) / 86400.0)) <= 365 AND q22."position" IS NOT NULL) <= 7.17e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d23 WHERE d23."driverId" = t14."driverId" AND d23."dob" < t14."date" AND (SELECT AVG(r24."grid") FROM "results" AS r24 WHERE r24."driverId" = d23."driverId" AND (CAST(strftime('%s', r24."date") AS INTEGER) / 86400.0) < (julianday(t14."date") - 2440587.5) AND r24."grid" IS NOT NULL) >= 7.58e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d25 WHERE d25."driverId" = t14."driverId" AND d25."dob" < t14."date" AND (SELECT AVG(q26."position") FROM "qualifying" AS q26 WHERE q26."driverId" = d25."driverId" AND (CAST(strftime('%s', q26."date") AS INTEGER) / 86400.0) < (julianday(t14."date") - 2440587.5) AND q26."position" IS NOT NULL) >= 8.059e0)) IS NOT TRUE;

-- Leaf 8: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   driver (latest standings.points by date >= 23.8)
--   driver (mean results.positionOrder >= 7.8599)
--   driver (mean qualifying (days_before <= 365.0).position <= 7.17)
--   not driver (mean results.grid >= 7.58)
CREATE VIEW "leaf_8" AS
SELECT t27."id"
FROM "task_driver_dnf" AS t27
WHERE t27.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d28 WHERE d28."driverId" = t27."driverId" AND d28."dob" < t27."date" AND (SELECT AVG(r29."points") FROM "results" AS r29 WHERE r29."driverId" = d28."driverId" AND (CAST(strftime('%s', r29."date") AS INTEGER) / 86400.0) < (julianday(t27."date") - 2440587.5) AND ((julianday(t27."date") - 2440587.5) - (CAST(strftime('%s', r29."date") AS INTEGER) / 86400.0)) <= 365 AND r29."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d30 WHERE d30."driverId" = t27."driverId" AND d30."dob" < t27."date" AND (SELECT v FROM (SELECT s31."points" AS v, CAST(strftime('%s', s31."date") AS INTEGER) AS o0, s31.rowid AS o1 FROM "standings" AS s31 WHERE s31."driverId" = d30."driverId" AND (CAST(strftime('%s', s31."date") AS INTEGER) / 86400.0) < (julianday(t27."date") - 2440587.5) AND s31."points" IS NOT NULL AND CAST(strftime('%s', s31."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d32 WHERE d32."driverId" = t27."driverId" AND d32."dob" < t27."date" AND (SELECT AVG(r33."positionOrder") FROM "results" AS r33 WHERE r33."driverId" = d32."driverId" AND (CAST(strftime('%s', r33."date") AS INTEGER) / 86400.0) < (julianday(t27."date") - 2440587.5) AND r33."positionOrder" IS NOT NULL) >= 7.8599e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d34 WHERE d34."driverId" = t27."driverId" AND d34."dob" < t27."date" AND (SELECT AVG(q35."position") FROM "qualifying" AS q35 WHERE q35."driverId" = d34."driverId" AND (CAST(strftime('%s', q35."date") AS INTEGER) / 86400.0) < (julianday(t27."date") - 2440587.5) AND ((julianday(t27."date") - 2440587.5) - (CAST(strftime('%s', q35."date") AS INTEGER) / 86400.0)) <= 365 AND q35."position" IS NOT NULL) <= 7.17e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d36 WHERE d36."driverId" = t27."driverId" AND d36."dob" < t27."date" AND (SELECT AVG(r37."grid") FROM "results" AS r37 WHERE r37."driverId" = d36."driverId" AND (CAST(strftime('%s', r37."date") AS INTEGER) / 86400.0) < (julianday(t27."date") - 2440587.5) AND r37."grid" IS NOT NULL) >= 7.58e0)) IS NOT TRUE;

-- Leaf 10: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   driver (latest standings.points by date >= 23.8)
--   driver (mean results.positionOrder >= 7.8599)
--   not driver (mean qualifying (days_before <= 365.0).position <= 7.17)
--   driver (latest standings.points by date >= 51.2)
CREATE VIEW "leaf_10" AS
SELECT t38."id"
FROM "task_driver_dnf" AS t38
WHERE t38.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d39 WHERE d39."driverId" = t38."driverId" AND d39."dob" < t38."date" AND (SELECT AVG(r40."points") FROM "results" AS r40 WHERE r40."driverId" = d39."driverId" AND (CAST(strftime('%s', r40."date") AS INTEGER) / 86400.0) < (julianday(t38."date") - 2440587.5) AND ((julianday(t38."date") - 2440587.5) - (CAST(strftime('%s', r40."date") AS INTEGER) / 86400.0)) <= 365 AND r40."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d41 WHERE d41."driverId" = t38."driverId" AND d41."dob" < t38."date" AND (SELECT v FROM (SELECT s42."points" AS v, CAST(strftime('%s', s42."date") AS INTEGER) AS o0, s42.rowid AS o1 FROM "standings" AS s42 WHERE s42."driverId" = d41."driverId" AND (CAST(strftime('%s', s42."date") AS INTEGER) / 86400.0) < (julianday(t38."date") - 2440587.5) AND s42."points" IS NOT NULL AND CAST(strftime('%s', s42."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d43 WHERE d43."driverId" = t38."driverId" AND d43."dob" < t38."date" AND (SELECT AVG(r44."positionOrder") FROM "results" AS r44 WHERE r44."driverId" = d43."driverId" AND (CAST(strftime('%s', r44."date") AS INTEGER) / 86400.0) < (julianday(t38."date") - 2440587.5) AND r44."positionOrder" IS NOT NULL) >= 7.8599e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d45 WHERE d45."driverId" = t38."driverId" AND d45."dob" < t38."date" AND (SELECT AVG(q46."position") FROM "qualifying" AS q46 WHERE q46."driverId" = d45."driverId" AND (CAST(strftime('%s', q46."date") AS INTEGER) / 86400.0) < (julianday(t38."date") - 2440587.5) AND ((julianday(t38."date") - 2440587.5) - (CAST(strftime('%s', q46."date") AS INTEGER) / 86400.0)) <= 365 AND q46."position" IS NOT NULL) <= 7.17e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d47 WHERE d47."driverId" = t38."driverId" AND d47."dob" < t38."date" AND (SELECT v FROM (SELECT s48."points" AS v, CAST(strftime('%s', s48."date") AS INTEGER) AS o0, s48.rowid AS o1 FROM "standings" AS s48 WHERE s48."driverId" = d47."driverId" AND (CAST(strftime('%s', s48."date") AS INTEGER) / 86400.0) < (julianday(t38."date") - 2440587.5) AND s48."points" IS NOT NULL AND CAST(strftime('%s', s48."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 51.2e0));

-- Leaf 11: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   driver (latest standings.points by date >= 23.8)
--   driver (mean results.positionOrder >= 7.8599)
--   not driver (mean qualifying (days_before <= 365.0).position <= 7.17)
--   not driver (latest standings.points by date >= 51.2)
CREATE VIEW "leaf_11" AS
SELECT t49."id"
FROM "task_driver_dnf" AS t49
WHERE t49.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d50 WHERE d50."driverId" = t49."driverId" AND d50."dob" < t49."date" AND (SELECT AVG(r51."points") FROM "results" AS r51 WHERE r51."driverId" = d50."driverId" AND (CAST(strftime('%s', r51."date") AS INTEGER) / 86400.0) < (julianday(t49."date") - 2440587.5) AND ((julianday(t49."date") - 2440587.5) - (CAST(strftime('%s', r51."date") AS INTEGER) / 86400.0)) <= 365 AND r51."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d52 WHERE d52."driverId" = t49."driverId" AND d52."dob" < t49."date" AND (SELECT v FROM (SELECT s53."points" AS v, CAST(strftime('%s', s53."date") AS INTEGER) AS o0, s53.rowid AS o1 FROM "standings" AS s53 WHERE s53."driverId" = d52."driverId" AND (CAST(strftime('%s', s53."date") AS INTEGER) / 86400.0) < (julianday(t49."date") - 2440587.5) AND s53."points" IS NOT NULL AND CAST(strftime('%s', s53."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d54 WHERE d54."driverId" = t49."driverId" AND d54."dob" < t49."date" AND (SELECT AVG(r55."positionOrder") FROM "results" AS r55 WHERE r55."driverId" = d54."driverId" AND (CAST(strftime('%s', r55."date") AS INTEGER) / 86400.0) < (julianday(t49."date") - 2440587.5) AND r55."positionOrder" IS NOT NULL) >= 7.8599e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d56 WHERE d56."driverId" = t49."driverId" AND d56."dob" < t49."date" AND (SELECT AVG(q57."position") FROM "qualifying" AS q57 WHERE q57."driverId" = d56."driverId" AND (CAST(strftime('%s', q57."date") AS INTEGER) / 86400.0) < (julianday(t49."date") - 2440587.5) AND ((julianday(t49."date") - 2440587.5) - (CAST(strftime('%s', q57."date") AS INTEGER) / 86400.0)) <= 365 AND q57."position" IS NOT NULL) <= 7.17e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d58 WHERE d58."driverId" = t49."driverId" AND d58."dob" < t49."date" AND (SELECT v FROM (SELECT s59."points" AS v, CAST(strftime('%s', s59."date") AS INTEGER) AS o0, s59.rowid AS o1 FROM "standings" AS s59 WHERE s59."driverId" = d58."driverId" AND (CAST(strftime('%s', s59."date") AS INTEGER) / 86400.0) < (julianday(t49."date") - 2440587.5) AND s59."points" IS NOT NULL AND CAST(strftime('%s', s59."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 51.2e0)) IS NOT TRUE;

-- Leaf 12: 0
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   driver (latest standings.points by date >= 23.8)
--   not driver (mean results.positionOrder >= 7.8599)
CREATE VIEW "leaf_12" AS
SELECT t60."id"
FROM "task_driver_dnf" AS t60
WHERE t60.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d61 WHERE d61."driverId" = t60."driverId" AND d61."dob" < t60."date" AND (SELECT AVG(r62."points") FROM "results" AS r62 WHERE r62."driverId" = d61."driverId" AND (CAST(strftime('%s', r62."date") AS INTEGER) / 86400.0) < (julianday(t60."date") - 2440587.5) AND ((julianday(t60."date") - 2440587.5) - (CAST(strftime('%s', r62."date") AS INTEGER) / 86400.0)) <= 365 AND r62."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d63 WHERE d63."driverId" = t60."driverId" AND d63."dob" < t60."date" AND (SELECT v FROM (SELECT s64."points" AS v, CAST(strftime('%s', s64."date") AS INTEGER) AS o0, s64.rowid AS o1 FROM "standings" AS s64 WHERE s64."driverId" = d63."driverId" AND (CAST(strftime('%s', s64."date") AS INTEGER) / 86400.0) < (julianday(t60."date") - 2440587.5) AND s64."points" IS NOT NULL AND CAST(strftime('%s', s64."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d65 WHERE d65."driverId" = t60."driverId" AND d65."dob" < t60."date" AND (SELECT AVG(r66."positionOrder") FROM "results" AS r66 WHERE r66."driverId" = d65."driverId" AND (CAST(strftime('%s', r66."date") AS INTEGER) / 86400.0) < (julianday(t60."date") - 2440587.5) AND r66."positionOrder" IS NOT NULL) >= 7.8599e0)) IS NOT TRUE;

-- Leaf 17: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (latest standings.points by date >= 23.8)
--   driver (mean results (days_before <= 365.0).grid >= 5.343)
--   driver (latest standings.position by date >= 10)
--   driver (mean results (days_before <= 365.0).laps >= 55.29)
--   driver (mean results.positionOrder >= 9.903)
CREATE VIEW "leaf_17" AS
SELECT t67."id"
FROM "task_driver_dnf" AS t67
WHERE t67.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d68 WHERE d68."driverId" = t67."driverId" AND d68."dob" < t67."date" AND (SELECT AVG(r69."points") FROM "results" AS r69 WHERE r69."driverId" = d68."driverId" AND (CAST(strftime('%s', r69."date") AS INTEGER) / 86400.0) < (julianday(t67."date") - 2440587.5) AND ((julianday(t67."date") - 2440587.5) - (CAST(strftime('%s', r69."date") AS INTEGER) / 86400.0)) <= 365 AND r69."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d70 WHERE d70."driverId" = t67."driverId" AND d70."dob" < t67."date" AND (SELECT v FROM (SELECT s71."points" AS v, CAST(strftime('%s', s71."date") AS INTEGER) AS o0, s71.rowid AS o1 FROM "standings" AS s71 WHERE s71."driverId" = d70."driverId" AND (CAST(strftime('%s', s71."date") AS INTEGER) / 86400.0) < (julianday(t67."date") - 2440587.5) AND s71."points" IS NOT NULL AND CAST(strftime('%s', s71."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d72 WHERE d72."driverId" = t67."driverId" AND d72."dob" < t67."date" AND (SELECT AVG(r73."grid") FROM "results" AS r73 WHERE r73."driverId" = d72."driverId" AND (CAST(strftime('%s', r73."date") AS INTEGER) / 86400.0) < (julianday(t67."date") - 2440587.5) AND ((julianday(t67."date") - 2440587.5) - (CAST(strftime('%s', r73."date") AS INTEGER) / 86400.0)) <= 365 AND r73."grid" IS NOT NULL) >= 5.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d74 WHERE d74."driverId" = t67."driverId" AND d74."dob" < t67."date" AND (SELECT v FROM (SELECT s75."position" AS v, CAST(strftime('%s', s75."date") AS INTEGER) AS o0, s75.rowid AS o1 FROM "standings" AS s75 WHERE s75."driverId" = d74."driverId" AND (CAST(strftime('%s', s75."date") AS INTEGER) / 86400.0) < (julianday(t67."date") - 2440587.5) AND s75."position" IS NOT NULL AND CAST(strftime('%s', s75."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 10))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d76 WHERE d76."driverId" = t67."driverId" AND d76."dob" < t67."date" AND (SELECT AVG(r77."laps") FROM "results" AS r77 WHERE r77."driverId" = d76."driverId" AND (CAST(strftime('%s', r77."date") AS INTEGER) / 86400.0) < (julianday(t67."date") - 2440587.5) AND ((julianday(t67."date") - 2440587.5) - (CAST(strftime('%s', r77."date") AS INTEGER) / 86400.0)) <= 365 AND r77."laps" IS NOT NULL) >= 55.29e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d78 WHERE d78."driverId" = t67."driverId" AND d78."dob" < t67."date" AND (SELECT AVG(r79."positionOrder") FROM "results" AS r79 WHERE r79."driverId" = d78."driverId" AND (CAST(strftime('%s', r79."date") AS INTEGER) / 86400.0) < (julianday(t67."date") - 2440587.5) AND r79."positionOrder" IS NOT NULL) >= 9.903e0));

-- Leaf 18: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (latest standings.points by date >= 23.8)
--   driver (mean results (days_before <= 365.0).grid >= 5.343)
--   driver (latest standings.position by date >= 10)
--   driver (mean results (days_before <= 365.0).laps >= 55.29)
--   not driver (mean results.positionOrder >= 9.903)
CREATE VIEW "leaf_18" AS
SELECT t80."id"
FROM "task_driver_dnf" AS t80
WHERE t80.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d81 WHERE d81."driverId" = t80."driverId" AND d81."dob" < t80."date" AND (SELECT AVG(r82."points") FROM "results" AS r82 WHERE r82."driverId" = d81."driverId" AND (CAST(strftime('%s', r82."date") AS INTEGER) / 86400.0) < (julianday(t80."date") - 2440587.5) AND ((julianday(t80."date") - 2440587.5) - (CAST(strftime('%s', r82."date") AS INTEGER) / 86400.0)) <= 365 AND r82."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d83 WHERE d83."driverId" = t80."driverId" AND d83."dob" < t80."date" AND (SELECT v FROM (SELECT s84."points" AS v, CAST(strftime('%s', s84."date") AS INTEGER) AS o0, s84.rowid AS o1 FROM "standings" AS s84 WHERE s84."driverId" = d83."driverId" AND (CAST(strftime('%s', s84."date") AS INTEGER) / 86400.0) < (julianday(t80."date") - 2440587.5) AND s84."points" IS NOT NULL AND CAST(strftime('%s', s84."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d85 WHERE d85."driverId" = t80."driverId" AND d85."dob" < t80."date" AND (SELECT AVG(r86."grid") FROM "results" AS r86 WHERE r86."driverId" = d85."driverId" AND (CAST(strftime('%s', r86."date") AS INTEGER) / 86400.0) < (julianday(t80."date") - 2440587.5) AND ((julianday(t80."date") - 2440587.5) - (CAST(strftime('%s', r86."date") AS INTEGER) / 86400.0)) <= 365 AND r86."grid" IS NOT NULL) >= 5.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d87 WHERE d87."driverId" = t80."driverId" AND d87."dob" < t80."date" AND (SELECT v FROM (SELECT s88."position" AS v, CAST(strftime('%s', s88."date") AS INTEGER) AS o0, s88.rowid AS o1 FROM "standings" AS s88 WHERE s88."driverId" = d87."driverId" AND (CAST(strftime('%s', s88."date") AS INTEGER) / 86400.0) < (julianday(t80."date") - 2440587.5) AND s88."position" IS NOT NULL AND CAST(strftime('%s', s88."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 10))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d89 WHERE d89."driverId" = t80."driverId" AND d89."dob" < t80."date" AND (SELECT AVG(r90."laps") FROM "results" AS r90 WHERE r90."driverId" = d89."driverId" AND (CAST(strftime('%s', r90."date") AS INTEGER) / 86400.0) < (julianday(t80."date") - 2440587.5) AND ((julianday(t80."date") - 2440587.5) - (CAST(strftime('%s', r90."date") AS INTEGER) / 86400.0)) <= 365 AND r90."laps" IS NOT NULL) >= 55.29e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d91 WHERE d91."driverId" = t80."driverId" AND d91."dob" < t80."date" AND (SELECT AVG(r92."positionOrder") FROM "results" AS r92 WHERE r92."driverId" = d91."driverId" AND (CAST(strftime('%s', r92."date") AS INTEGER) / 86400.0) < (julianday(t80."date") - 2440587.5) AND r92."positionOrder" IS NOT NULL) >= 9.903e0)) IS NOT TRUE;

-- Leaf 19: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (latest standings.points by date >= 23.8)
--   driver (mean results (days_before <= 365.0).grid >= 5.343)
--   driver (latest standings.position by date >= 10)
--   not driver (mean results (days_before <= 365.0).laps >= 55.29)
CREATE VIEW "leaf_19" AS
SELECT t93."id"
FROM "task_driver_dnf" AS t93
WHERE t93.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d94 WHERE d94."driverId" = t93."driverId" AND d94."dob" < t93."date" AND (SELECT AVG(r95."points") FROM "results" AS r95 WHERE r95."driverId" = d94."driverId" AND (CAST(strftime('%s', r95."date") AS INTEGER) / 86400.0) < (julianday(t93."date") - 2440587.5) AND ((julianday(t93."date") - 2440587.5) - (CAST(strftime('%s', r95."date") AS INTEGER) / 86400.0)) <= 365 AND r95."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d96 WHERE d96."driverId" = t93."driverId" AND d96."dob" < t93."date" AND (SELECT v FROM (SELECT s97."points" AS v, CAST(strftime('%s', s97."date") AS INTEGER) AS o0, s97.rowid AS o1 FROM "standings" AS s97 WHERE s97."driverId" = d96."driverId" AND (CAST(strftime('%s', s97."date") AS INTEGER) / 86400.0) < (julianday(t93."date") - 2440587.5) AND s97."points" IS NOT NULL AND CAST(strftime('%s', s97."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d98 WHERE d98."driverId" = t93."driverId" AND d98."dob" < t93."date" AND (SELECT AVG(r99."grid") FROM "results" AS r99 WHERE r99."driverId" = d98."driverId" AND (CAST(strftime('%s', r99."date") AS INTEGER) / 86400.0) < (julianday(t93."date") - 2440587.5) AND ((julianday(t93."date") - 2440587.5) - (CAST(strftime('%s', r99."date") AS INTEGER) / 86400.0)) <= 365 AND r99."grid" IS NOT NULL) >= 5.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d100 WHERE d100."driverId" = t93."driverId" AND d100."dob" < t93."date" AND (SELECT v FROM (SELECT s101."position" AS v, CAST(strftime('%s', s101."date") AS INTEGER) AS o0, s101.rowid AS o1 FROM "standings" AS s101 WHERE s101."driverId" = d100."driverId" AND (CAST(strftime('%s', s101."date") AS INTEGER) / 86400.0) < (julianday(t93."date") - 2440587.5) AND s101."position" IS NOT NULL AND CAST(strftime('%s', s101."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 10))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d102 WHERE d102."driverId" = t93."driverId" AND d102."dob" < t93."date" AND (SELECT AVG(r103."laps") FROM "results" AS r103 WHERE r103."driverId" = d102."driverId" AND (CAST(strftime('%s', r103."date") AS INTEGER) / 86400.0) < (julianday(t93."date") - 2440587.5) AND ((julianday(t93."date") - 2440587.5) - (CAST(strftime('%s', r103."date") AS INTEGER) / 86400.0)) <= 365 AND r103."laps" IS NOT NULL) >= 55.29e0)) IS NOT TRUE;

-- Leaf 21: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (latest standings.points by date >= 23.8)
--   driver (mean results (days_before <= 365.0).grid >= 5.343)
--   not driver (latest standings.position by date >= 10)
--   driver (min qualifying (days_before <= 365.0).position <= 4.5)
CREATE VIEW "leaf_21" AS
SELECT t104."id"
FROM "task_driver_dnf" AS t104
WHERE t104.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d105 WHERE d105."driverId" = t104."driverId" AND d105."dob" < t104."date" AND (SELECT AVG(r106."points") FROM "results" AS r106 WHERE r106."driverId" = d105."driverId" AND (CAST(strftime('%s', r106."date") AS INTEGER) / 86400.0) < (julianday(t104."date") - 2440587.5) AND ((julianday(t104."date") - 2440587.5) - (CAST(strftime('%s', r106."date") AS INTEGER) / 86400.0)) <= 365 AND r106."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d107 WHERE d107."driverId" = t104."driverId" AND d107."dob" < t104."date" AND (SELECT v FROM (SELECT s108."points" AS v, CAST(strftime('%s', s108."date") AS INTEGER) AS o0, s108.rowid AS o1 FROM "standings" AS s108 WHERE s108."driverId" = d107."driverId" AND (CAST(strftime('%s', s108."date") AS INTEGER) / 86400.0) < (julianday(t104."date") - 2440587.5) AND s108."points" IS NOT NULL AND CAST(strftime('%s', s108."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d109 WHERE d109."driverId" = t104."driverId" AND d109."dob" < t104."date" AND (SELECT AVG(r110."grid") FROM "results" AS r110 WHERE r110."driverId" = d109."driverId" AND (CAST(strftime('%s', r110."date") AS INTEGER) / 86400.0) < (julianday(t104."date") - 2440587.5) AND ((julianday(t104."date") - 2440587.5) - (CAST(strftime('%s', r110."date") AS INTEGER) / 86400.0)) <= 365 AND r110."grid" IS NOT NULL) >= 5.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d111 WHERE d111."driverId" = t104."driverId" AND d111."dob" < t104."date" AND (SELECT v FROM (SELECT s112."position" AS v, CAST(strftime('%s', s112."date") AS INTEGER) AS o0, s112.rowid AS o1 FROM "standings" AS s112 WHERE s112."driverId" = d111."driverId" AND (CAST(strftime('%s', s112."date") AS INTEGER) / 86400.0) < (julianday(t104."date") - 2440587.5) AND s112."position" IS NOT NULL AND CAST(strftime('%s', s112."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 10)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d113 WHERE d113."driverId" = t104."driverId" AND d113."dob" < t104."date" AND (SELECT MIN(q114."position") FROM "qualifying" AS q114 WHERE q114."driverId" = d113."driverId" AND (CAST(strftime('%s', q114."date") AS INTEGER) / 86400.0) < (julianday(t104."date") - 2440587.5) AND ((julianday(t104."date") - 2440587.5) - (CAST(strftime('%s', q114."date") AS INTEGER) / 86400.0)) <= 365 AND q114."position" IS NOT NULL) <= 4.5e0));

-- Leaf 23: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (latest standings.points by date >= 23.8)
--   driver (mean results (days_before <= 365.0).grid >= 5.343)
--   not driver (latest standings.position by date >= 10)
--   not driver (min qualifying (days_before <= 365.0).position <= 4.5)
--   driver (share results (positionOrder <= 3) >= 0.14513)
CREATE VIEW "leaf_23" AS
SELECT t115."id"
FROM "task_driver_dnf" AS t115
WHERE t115.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d116 WHERE d116."driverId" = t115."driverId" AND d116."dob" < t115."date" AND (SELECT AVG(r117."points") FROM "results" AS r117 WHERE r117."driverId" = d116."driverId" AND (CAST(strftime('%s', r117."date") AS INTEGER) / 86400.0) < (julianday(t115."date") - 2440587.5) AND ((julianday(t115."date") - 2440587.5) - (CAST(strftime('%s', r117."date") AS INTEGER) / 86400.0)) <= 365 AND r117."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d118 WHERE d118."driverId" = t115."driverId" AND d118."dob" < t115."date" AND (SELECT v FROM (SELECT s119."points" AS v, CAST(strftime('%s', s119."date") AS INTEGER) AS o0, s119.rowid AS o1 FROM "standings" AS s119 WHERE s119."driverId" = d118."driverId" AND (CAST(strftime('%s', s119."date") AS INTEGER) / 86400.0) < (julianday(t115."date") - 2440587.5) AND s119."points" IS NOT NULL AND CAST(strftime('%s', s119."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d120 WHERE d120."driverId" = t115."driverId" AND d120."dob" < t115."date" AND (SELECT AVG(r121."grid") FROM "results" AS r121 WHERE r121."driverId" = d120."driverId" AND (CAST(strftime('%s', r121."date") AS INTEGER) / 86400.0) < (julianday(t115."date") - 2440587.5) AND ((julianday(t115."date") - 2440587.5) - (CAST(strftime('%s', r121."date") AS INTEGER) / 86400.0)) <= 365 AND r121."grid" IS NOT NULL) >= 5.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d122 WHERE d122."driverId" = t115."driverId" AND d122."dob" < t115."date" AND (SELECT v FROM (SELECT s123."position" AS v, CAST(strftime('%s', s123."date") AS INTEGER) AS o0, s123.rowid AS o1 FROM "standings" AS s123 WHERE s123."driverId" = d122."driverId" AND (CAST(strftime('%s', s123."date") AS INTEGER) / 86400.0) < (julianday(t115."date") - 2440587.5) AND s123."position" IS NOT NULL AND CAST(strftime('%s', s123."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 10)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d124 WHERE d124."driverId" = t115."driverId" AND d124."dob" < t115."date" AND (SELECT MIN(q125."position") FROM "qualifying" AS q125 WHERE q125."driverId" = d124."driverId" AND (CAST(strftime('%s', q125."date") AS INTEGER) / 86400.0) < (julianday(t115."date") - 2440587.5) AND ((julianday(t115."date") - 2440587.5) - (CAST(strftime('%s', q125."date") AS INTEGER) / 86400.0)) <= 365 AND q125."position" IS NOT NULL) <= 4.5e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d126 WHERE d126."driverId" = t115."driverId" AND d126."dob" < t115."date" AND (SELECT AVG(CASE WHEN r127."positionOrder" <= 3 THEN 1.0 ELSE 0.0 END) FROM "results" AS r127 WHERE r127."driverId" = d126."driverId" AND (CAST(strftime('%s', r127."date") AS INTEGER) / 86400.0) < (julianday(t115."date") - 2440587.5)) >= 0.14513e0));

-- Leaf 24: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (latest standings.points by date >= 23.8)
--   driver (mean results (days_before <= 365.0).grid >= 5.343)
--   not driver (latest standings.position by date >= 10)
--   not driver (min qualifying (days_before <= 365.0).position <= 4.5)
--   not driver (share results (positionOrder <= 3) >= 0.14513)
CREATE VIEW "leaf_24" AS
SELECT t128."id"
FROM "task_driver_dnf" AS t128
WHERE t128.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d129 WHERE d129."driverId" = t128."driverId" AND d129."dob" < t128."date" AND (SELECT AVG(r130."points") FROM "results" AS r130 WHERE r130."driverId" = d129."driverId" AND (CAST(strftime('%s', r130."date") AS INTEGER) / 86400.0) < (julianday(t128."date") - 2440587.5) AND ((julianday(t128."date") - 2440587.5) - (CAST(strftime('%s', r130."date") AS INTEGER) / 86400.0)) <= 365 AND r130."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d131 WHERE d131."driverId" = t128."driverId" AND d131."dob" < t128."date" AND (SELECT v FROM (SELECT s132."points" AS v, CAST(strftime('%s', s132."date") AS INTEGER) AS o0, s132.rowid AS o1 FROM "standings" AS s132 WHERE s132."driverId" = d131."driverId" AND (CAST(strftime('%s', s132."date") AS INTEGER) / 86400.0) < (julianday(t128."date") - 2440587.5) AND s132."points" IS NOT NULL AND CAST(strftime('%s', s132."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d133 WHERE d133."driverId" = t128."driverId" AND d133."dob" < t128."date" AND (SELECT AVG(r134."grid") FROM "results" AS r134 WHERE r134."driverId" = d133."driverId" AND (CAST(strftime('%s', r134."date") AS INTEGER) / 86400.0) < (julianday(t128."date") - 2440587.5) AND ((julianday(t128."date") - 2440587.5) - (CAST(strftime('%s', r134."date") AS INTEGER) / 86400.0)) <= 365 AND r134."grid" IS NOT NULL) >= 5.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d135 WHERE d135."driverId" = t128."driverId" AND d135."dob" < t128."date" AND (SELECT v FROM (SELECT s136."position" AS v, CAST(strftime('%s', s136."date") AS INTEGER) AS o0, s136.rowid AS o1 FROM "standings" AS s136 WHERE s136."driverId" = d135."driverId" AND (CAST(strftime('%s', s136."date") AS INTEGER) / 86400.0) < (julianday(t128."date") - 2440587.5) AND s136."position" IS NOT NULL AND CAST(strftime('%s', s136."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 10)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d137 WHERE d137."driverId" = t128."driverId" AND d137."dob" < t128."date" AND (SELECT MIN(q138."position") FROM "qualifying" AS q138 WHERE q138."driverId" = d137."driverId" AND (CAST(strftime('%s', q138."date") AS INTEGER) / 86400.0) < (julianday(t128."date") - 2440587.5) AND ((julianday(t128."date") - 2440587.5) - (CAST(strftime('%s', q138."date") AS INTEGER) / 86400.0)) <= 365 AND q138."position" IS NOT NULL) <= 4.5e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d139 WHERE d139."driverId" = t128."driverId" AND d139."dob" < t128."date" AND (SELECT AVG(CASE WHEN r140."positionOrder" <= 3 THEN 1.0 ELSE 0.0 END) FROM "results" AS r140 WHERE r140."driverId" = d139."driverId" AND (CAST(strftime('%s', r140."date") AS INTEGER) / 86400.0) < (julianday(t128."date") - 2440587.5)) >= 0.14513e0)) IS NOT TRUE;

-- Leaf 26: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (latest standings.points by date >= 23.8)
--   not driver (mean results (days_before <= 365.0).grid >= 5.343)
--   driver (latest standings.position by date >= 4)
CREATE VIEW "leaf_26" AS
SELECT t141."id"
FROM "task_driver_dnf" AS t141
WHERE t141.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d142 WHERE d142."driverId" = t141."driverId" AND d142."dob" < t141."date" AND (SELECT AVG(r143."points") FROM "results" AS r143 WHERE r143."driverId" = d142."driverId" AND (CAST(strftime('%s', r143."date") AS INTEGER) / 86400.0) < (julianday(t141."date") - 2440587.5) AND ((julianday(t141."date") - 2440587.5) - (CAST(strftime('%s', r143."date") AS INTEGER) / 86400.0)) <= 365 AND r143."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d144 WHERE d144."driverId" = t141."driverId" AND d144."dob" < t141."date" AND (SELECT v FROM (SELECT s145."points" AS v, CAST(strftime('%s', s145."date") AS INTEGER) AS o0, s145.rowid AS o1 FROM "standings" AS s145 WHERE s145."driverId" = d144."driverId" AND (CAST(strftime('%s', s145."date") AS INTEGER) / 86400.0) < (julianday(t141."date") - 2440587.5) AND s145."points" IS NOT NULL AND CAST(strftime('%s', s145."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d146 WHERE d146."driverId" = t141."driverId" AND d146."dob" < t141."date" AND (SELECT AVG(r147."grid") FROM "results" AS r147 WHERE r147."driverId" = d146."driverId" AND (CAST(strftime('%s', r147."date") AS INTEGER) / 86400.0) < (julianday(t141."date") - 2440587.5) AND ((julianday(t141."date") - 2440587.5) - (CAST(strftime('%s', r147."date") AS INTEGER) / 86400.0)) <= 365 AND r147."grid" IS NOT NULL) >= 5.343e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d148 WHERE d148."driverId" = t141."driverId" AND d148."dob" < t141."date" AND (SELECT v FROM (SELECT s149."position" AS v, CAST(strftime('%s', s149."date") AS INTEGER) AS o0, s149.rowid AS o1 FROM "standings" AS s149 WHERE s149."driverId" = d148."driverId" AND (CAST(strftime('%s', s149."date") AS INTEGER) / 86400.0) < (julianday(t141."date") - 2440587.5) AND s149."position" IS NOT NULL AND CAST(strftime('%s', s149."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 4));

-- Leaf 27: 1
--   driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (latest standings.points by date >= 23.8)
--   not driver (mean results (days_before <= 365.0).grid >= 5.343)
--   not driver (latest standings.position by date >= 4)
CREATE VIEW "leaf_27" AS
SELECT t150."id"
FROM "task_driver_dnf" AS t150
WHERE t150.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d151 WHERE d151."driverId" = t150."driverId" AND d151."dob" < t150."date" AND (SELECT AVG(r152."points") FROM "results" AS r152 WHERE r152."driverId" = d151."driverId" AND (CAST(strftime('%s', r152."date") AS INTEGER) / 86400.0) < (julianday(t150."date") - 2440587.5) AND ((julianday(t150."date") - 2440587.5) - (CAST(strftime('%s', r152."date") AS INTEGER) / 86400.0)) <= 365 AND r152."points" IS NOT NULL) >= 1.056999999998943e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d153 WHERE d153."driverId" = t150."driverId" AND d153."dob" < t150."date" AND (SELECT v FROM (SELECT s154."points" AS v, CAST(strftime('%s', s154."date") AS INTEGER) AS o0, s154.rowid AS o1 FROM "standings" AS s154 WHERE s154."driverId" = d153."driverId" AND (CAST(strftime('%s', s154."date") AS INTEGER) / 86400.0) < (julianday(t150."date") - 2440587.5) AND s154."points" IS NOT NULL AND CAST(strftime('%s', s154."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d155 WHERE d155."driverId" = t150."driverId" AND d155."dob" < t150."date" AND (SELECT AVG(r156."grid") FROM "results" AS r156 WHERE r156."driverId" = d155."driverId" AND (CAST(strftime('%s', r156."date") AS INTEGER) / 86400.0) < (julianday(t150."date") - 2440587.5) AND ((julianday(t150."date") - 2440587.5) - (CAST(strftime('%s', r156."date") AS INTEGER) / 86400.0)) <= 365 AND r156."grid" IS NOT NULL) >= 5.343e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d157 WHERE d157."driverId" = t150."driverId" AND d157."dob" < t150."date" AND (SELECT v FROM (SELECT s158."position" AS v, CAST(strftime('%s', s158."date") AS INTEGER) AS o0, s158.rowid AS o1 FROM "standings" AS s158 WHERE s158."driverId" = d157."driverId" AND (CAST(strftime('%s', s158."date") AS INTEGER) / 86400.0) < (julianday(t150."date") - 2440587.5) AND s158."position" IS NOT NULL AND CAST(strftime('%s', s158."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 4)) IS NOT TRUE;

-- Leaf 30: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   driver (mean results.laps >= 80.8)
--   driver (count results (top) >= 3)
CREATE VIEW "leaf_30" AS
SELECT t159."id"
FROM "task_driver_dnf" AS t159
WHERE t159.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d160 WHERE d160."driverId" = t159."driverId" AND d160."dob" < t159."date" AND (SELECT AVG(r161."points") FROM "results" AS r161 WHERE r161."driverId" = d160."driverId" AND (CAST(strftime('%s', r161."date") AS INTEGER) / 86400.0) < (julianday(t159."date") - 2440587.5) AND ((julianday(t159."date") - 2440587.5) - (CAST(strftime('%s', r161."date") AS INTEGER) / 86400.0)) <= 365 AND r161."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d162 WHERE d162."driverId" = t159."driverId" AND d162."dob" < t159."date" AND (SELECT AVG(r163."laps") FROM "results" AS r163 WHERE r163."driverId" = d162."driverId" AND (CAST(strftime('%s', r163."date") AS INTEGER) / 86400.0) < (julianday(t159."date") - 2440587.5) AND r163."laps" IS NOT NULL) >= 80.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d164 WHERE d164."driverId" = t159."driverId" AND d164."dob" < t159."date" AND (SELECT COUNT(*) FROM "results" AS r165 WHERE r165."driverId" = d164."driverId" AND (CAST(strftime('%s', r165."date") AS INTEGER) / 86400.0) < (julianday(t159."date") - 2440587.5)) >= 3));

-- Leaf 31: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   driver (mean results.laps >= 80.8)
--   not driver (count results (top) >= 3)
CREATE VIEW "leaf_31" AS
SELECT t166."id"
FROM "task_driver_dnf" AS t166
WHERE t166.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d167 WHERE d167."driverId" = t166."driverId" AND d167."dob" < t166."date" AND (SELECT AVG(r168."points") FROM "results" AS r168 WHERE r168."driverId" = d167."driverId" AND (CAST(strftime('%s', r168."date") AS INTEGER) / 86400.0) < (julianday(t166."date") - 2440587.5) AND ((julianday(t166."date") - 2440587.5) - (CAST(strftime('%s', r168."date") AS INTEGER) / 86400.0)) <= 365 AND r168."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d169 WHERE d169."driverId" = t166."driverId" AND d169."dob" < t166."date" AND (SELECT AVG(r170."laps") FROM "results" AS r170 WHERE r170."driverId" = d169."driverId" AND (CAST(strftime('%s', r170."date") AS INTEGER) / 86400.0) < (julianday(t166."date") - 2440587.5) AND r170."laps" IS NOT NULL) >= 80.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d171 WHERE d171."driverId" = t166."driverId" AND d171."dob" < t166."date" AND (SELECT COUNT(*) FROM "results" AS r172 WHERE r172."driverId" = d171."driverId" AND (CAST(strftime('%s', r172."date") AS INTEGER) / 86400.0) < (julianday(t166."date") - 2440587.5)) >= 3)) IS NOT TRUE;

-- Leaf 35: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   driver (share results (statusId <= 1) >= 0.136)
--   driver (latest standings.points by date >= 1.8)
--   driver (mean qualifying (days_before <= 365.0).position >= 14.79)
CREATE VIEW "leaf_35" AS
SELECT t173."id"
FROM "task_driver_dnf" AS t173
WHERE t173.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d174 WHERE d174."driverId" = t173."driverId" AND d174."dob" < t173."date" AND (SELECT AVG(r175."points") FROM "results" AS r175 WHERE r175."driverId" = d174."driverId" AND (CAST(strftime('%s', r175."date") AS INTEGER) / 86400.0) < (julianday(t173."date") - 2440587.5) AND ((julianday(t173."date") - 2440587.5) - (CAST(strftime('%s', r175."date") AS INTEGER) / 86400.0)) <= 365 AND r175."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d176 WHERE d176."driverId" = t173."driverId" AND d176."dob" < t173."date" AND (SELECT AVG(r177."laps") FROM "results" AS r177 WHERE r177."driverId" = d176."driverId" AND (CAST(strftime('%s', r177."date") AS INTEGER) / 86400.0) < (julianday(t173."date") - 2440587.5) AND r177."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d178 WHERE d178."driverId" = t173."driverId" AND d178."dob" < t173."date" AND (SELECT AVG(CASE WHEN r179."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r179 WHERE r179."driverId" = d178."driverId" AND (CAST(strftime('%s', r179."date") AS INTEGER) / 86400.0) < (julianday(t173."date") - 2440587.5)) >= 0.136e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d180 WHERE d180."driverId" = t173."driverId" AND d180."dob" < t173."date" AND (SELECT v FROM (SELECT s181."points" AS v, CAST(strftime('%s', s181."date") AS INTEGER) AS o0, s181.rowid AS o1 FROM "standings" AS s181 WHERE s181."driverId" = d180."driverId" AND (CAST(strftime('%s', s181."date") AS INTEGER) / 86400.0) < (julianday(t173."date") - 2440587.5) AND s181."points" IS NOT NULL AND CAST(strftime('%s', s181."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d182 WHERE d182."driverId" = t173."driverId" AND d182."dob" < t173."date" AND (SELECT AVG(q183."position") FROM "qualifying" AS q183 WHERE q183."driverId" = d182."driverId" AND (CAST(strftime('%s', q183."date") AS INTEGER) / 86400.0) < (julianday(t173."date") - 2440587.5) AND ((julianday(t173."date") - 2440587.5) - (CAST(strftime('%s', q183."date") AS INTEGER) / 86400.0)) <= 365 AND q183."position" IS NOT NULL) >= 14.79e0));

-- Leaf 37: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   driver (share results (statusId <= 1) >= 0.136)
--   driver (latest standings.points by date >= 1.8)
--   not driver (mean qualifying (days_before <= 365.0).position >= 14.79)
--   driver (mean results (days_before <= 365.0).grid <= 7.35)
CREATE VIEW "leaf_37" AS
SELECT t184."id"
FROM "task_driver_dnf" AS t184
WHERE t184.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d185 WHERE d185."driverId" = t184."driverId" AND d185."dob" < t184."date" AND (SELECT AVG(r186."points") FROM "results" AS r186 WHERE r186."driverId" = d185."driverId" AND (CAST(strftime('%s', r186."date") AS INTEGER) / 86400.0) < (julianday(t184."date") - 2440587.5) AND ((julianday(t184."date") - 2440587.5) - (CAST(strftime('%s', r186."date") AS INTEGER) / 86400.0)) <= 365 AND r186."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d187 WHERE d187."driverId" = t184."driverId" AND d187."dob" < t184."date" AND (SELECT AVG(r188."laps") FROM "results" AS r188 WHERE r188."driverId" = d187."driverId" AND (CAST(strftime('%s', r188."date") AS INTEGER) / 86400.0) < (julianday(t184."date") - 2440587.5) AND r188."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d189 WHERE d189."driverId" = t184."driverId" AND d189."dob" < t184."date" AND (SELECT AVG(CASE WHEN r190."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r190 WHERE r190."driverId" = d189."driverId" AND (CAST(strftime('%s', r190."date") AS INTEGER) / 86400.0) < (julianday(t184."date") - 2440587.5)) >= 0.136e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d191 WHERE d191."driverId" = t184."driverId" AND d191."dob" < t184."date" AND (SELECT v FROM (SELECT s192."points" AS v, CAST(strftime('%s', s192."date") AS INTEGER) AS o0, s192.rowid AS o1 FROM "standings" AS s192 WHERE s192."driverId" = d191."driverId" AND (CAST(strftime('%s', s192."date") AS INTEGER) / 86400.0) < (julianday(t184."date") - 2440587.5) AND s192."points" IS NOT NULL AND CAST(strftime('%s', s192."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d193 WHERE d193."driverId" = t184."driverId" AND d193."dob" < t184."date" AND (SELECT AVG(q194."position") FROM "qualifying" AS q194 WHERE q194."driverId" = d193."driverId" AND (CAST(strftime('%s', q194."date") AS INTEGER) / 86400.0) < (julianday(t184."date") - 2440587.5) AND ((julianday(t184."date") - 2440587.5) - (CAST(strftime('%s', q194."date") AS INTEGER) / 86400.0)) <= 365 AND q194."position" IS NOT NULL) >= 14.79e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d195 WHERE d195."driverId" = t184."driverId" AND d195."dob" < t184."date" AND (SELECT AVG(r196."grid") FROM "results" AS r196 WHERE r196."driverId" = d195."driverId" AND (CAST(strftime('%s', r196."date") AS INTEGER) / 86400.0) < (julianday(t184."date") - 2440587.5) AND ((julianday(t184."date") - 2440587.5) - (CAST(strftime('%s', r196."date") AS INTEGER) / 86400.0)) <= 365 AND r196."grid" IS NOT NULL) <= 7.35e0));

-- Leaf 38: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   driver (share results (statusId <= 1) >= 0.136)
--   driver (latest standings.points by date >= 1.8)
--   not driver (mean qualifying (days_before <= 365.0).position >= 14.79)
--   not driver (mean results (days_before <= 365.0).grid <= 7.35)
CREATE VIEW "leaf_38" AS
SELECT t197."id"
FROM "task_driver_dnf" AS t197
WHERE t197.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d198 WHERE d198."driverId" = t197."driverId" AND d198."dob" < t197."date" AND (SELECT AVG(r199."points") FROM "results" AS r199 WHERE r199."driverId" = d198."driverId" AND (CAST(strftime('%s', r199."date") AS INTEGER) / 86400.0) < (julianday(t197."date") - 2440587.5) AND ((julianday(t197."date") - 2440587.5) - (CAST(strftime('%s', r199."date") AS INTEGER) / 86400.0)) <= 365 AND r199."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d200 WHERE d200."driverId" = t197."driverId" AND d200."dob" < t197."date" AND (SELECT AVG(r201."laps") FROM "results" AS r201 WHERE r201."driverId" = d200."driverId" AND (CAST(strftime('%s', r201."date") AS INTEGER) / 86400.0) < (julianday(t197."date") - 2440587.5) AND r201."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d202 WHERE d202."driverId" = t197."driverId" AND d202."dob" < t197."date" AND (SELECT AVG(CASE WHEN r203."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r203 WHERE r203."driverId" = d202."driverId" AND (CAST(strftime('%s', r203."date") AS INTEGER) / 86400.0) < (julianday(t197."date") - 2440587.5)) >= 0.136e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d204 WHERE d204."driverId" = t197."driverId" AND d204."dob" < t197."date" AND (SELECT v FROM (SELECT s205."points" AS v, CAST(strftime('%s', s205."date") AS INTEGER) AS o0, s205.rowid AS o1 FROM "standings" AS s205 WHERE s205."driverId" = d204."driverId" AND (CAST(strftime('%s', s205."date") AS INTEGER) / 86400.0) < (julianday(t197."date") - 2440587.5) AND s205."points" IS NOT NULL AND CAST(strftime('%s', s205."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1.8e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d206 WHERE d206."driverId" = t197."driverId" AND d206."dob" < t197."date" AND (SELECT AVG(q207."position") FROM "qualifying" AS q207 WHERE q207."driverId" = d206."driverId" AND (CAST(strftime('%s', q207."date") AS INTEGER) / 86400.0) < (julianday(t197."date") - 2440587.5) AND ((julianday(t197."date") - 2440587.5) - (CAST(strftime('%s', q207."date") AS INTEGER) / 86400.0)) <= 365 AND q207."position" IS NOT NULL) >= 14.79e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d208 WHERE d208."driverId" = t197."driverId" AND d208."dob" < t197."date" AND (SELECT AVG(r209."grid") FROM "results" AS r209 WHERE r209."driverId" = d208."driverId" AND (CAST(strftime('%s', r209."date") AS INTEGER) / 86400.0) < (julianday(t197."date") - 2440587.5) AND ((julianday(t197."date") - 2440587.5) - (CAST(strftime('%s', r209."date") AS INTEGER) / 86400.0)) <= 365 AND r209."grid" IS NOT NULL) <= 7.35e0)) IS NOT TRUE;

-- Leaf 40: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   driver (share results (statusId <= 1) >= 0.136)
--   not driver (latest standings.points by date >= 1.8)
--   driver (mean results (days_before <= 365.0).grid <= 10.19)
CREATE VIEW "leaf_40" AS
SELECT t210."id"
FROM "task_driver_dnf" AS t210
WHERE t210.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d211 WHERE d211."driverId" = t210."driverId" AND d211."dob" < t210."date" AND (SELECT AVG(r212."points") FROM "results" AS r212 WHERE r212."driverId" = d211."driverId" AND (CAST(strftime('%s', r212."date") AS INTEGER) / 86400.0) < (julianday(t210."date") - 2440587.5) AND ((julianday(t210."date") - 2440587.5) - (CAST(strftime('%s', r212."date") AS INTEGER) / 86400.0)) <= 365 AND r212."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d213 WHERE d213."driverId" = t210."driverId" AND d213."dob" < t210."date" AND (SELECT AVG(r214."laps") FROM "results" AS r214 WHERE r214."driverId" = d213."driverId" AND (CAST(strftime('%s', r214."date") AS INTEGER) / 86400.0) < (julianday(t210."date") - 2440587.5) AND r214."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d215 WHERE d215."driverId" = t210."driverId" AND d215."dob" < t210."date" AND (SELECT AVG(CASE WHEN r216."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r216 WHERE r216."driverId" = d215."driverId" AND (CAST(strftime('%s', r216."date") AS INTEGER) / 86400.0) < (julianday(t210."date") - 2440587.5)) >= 0.136e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d217 WHERE d217."driverId" = t210."driverId" AND d217."dob" < t210."date" AND (SELECT v FROM (SELECT s218."points" AS v, CAST(strftime('%s', s218."date") AS INTEGER) AS o0, s218.rowid AS o1 FROM "standings" AS s218 WHERE s218."driverId" = d217."driverId" AND (CAST(strftime('%s', s218."date") AS INTEGER) / 86400.0) < (julianday(t210."date") - 2440587.5) AND s218."points" IS NOT NULL AND CAST(strftime('%s', s218."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d219 WHERE d219."driverId" = t210."driverId" AND d219."dob" < t210."date" AND (SELECT AVG(r220."grid") FROM "results" AS r220 WHERE r220."driverId" = d219."driverId" AND (CAST(strftime('%s', r220."date") AS INTEGER) / 86400.0) < (julianday(t210."date") - 2440587.5) AND ((julianday(t210."date") - 2440587.5) - (CAST(strftime('%s', r220."date") AS INTEGER) / 86400.0)) <= 365 AND r220."grid" IS NOT NULL) <= 10.19e0));

-- Leaf 41: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   driver (share results (statusId <= 1) >= 0.136)
--   not driver (latest standings.points by date >= 1.8)
--   not driver (mean results (days_before <= 365.0).grid <= 10.19)
CREATE VIEW "leaf_41" AS
SELECT t221."id"
FROM "task_driver_dnf" AS t221
WHERE t221.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d222 WHERE d222."driverId" = t221."driverId" AND d222."dob" < t221."date" AND (SELECT AVG(r223."points") FROM "results" AS r223 WHERE r223."driverId" = d222."driverId" AND (CAST(strftime('%s', r223."date") AS INTEGER) / 86400.0) < (julianday(t221."date") - 2440587.5) AND ((julianday(t221."date") - 2440587.5) - (CAST(strftime('%s', r223."date") AS INTEGER) / 86400.0)) <= 365 AND r223."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d224 WHERE d224."driverId" = t221."driverId" AND d224."dob" < t221."date" AND (SELECT AVG(r225."laps") FROM "results" AS r225 WHERE r225."driverId" = d224."driverId" AND (CAST(strftime('%s', r225."date") AS INTEGER) / 86400.0) < (julianday(t221."date") - 2440587.5) AND r225."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d226 WHERE d226."driverId" = t221."driverId" AND d226."dob" < t221."date" AND (SELECT AVG(CASE WHEN r227."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r227 WHERE r227."driverId" = d226."driverId" AND (CAST(strftime('%s', r227."date") AS INTEGER) / 86400.0) < (julianday(t221."date") - 2440587.5)) >= 0.136e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d228 WHERE d228."driverId" = t221."driverId" AND d228."dob" < t221."date" AND (SELECT v FROM (SELECT s229."points" AS v, CAST(strftime('%s', s229."date") AS INTEGER) AS o0, s229.rowid AS o1 FROM "standings" AS s229 WHERE s229."driverId" = d228."driverId" AND (CAST(strftime('%s', s229."date") AS INTEGER) / 86400.0) < (julianday(t221."date") - 2440587.5) AND s229."points" IS NOT NULL AND CAST(strftime('%s', s229."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d230 WHERE d230."driverId" = t221."driverId" AND d230."dob" < t221."date" AND (SELECT AVG(r231."grid") FROM "results" AS r231 WHERE r231."driverId" = d230."driverId" AND (CAST(strftime('%s', r231."date") AS INTEGER) / 86400.0) < (julianday(t221."date") - 2440587.5) AND ((julianday(t221."date") - 2440587.5) - (CAST(strftime('%s', r231."date") AS INTEGER) / 86400.0)) <= 365 AND r231."grid" IS NOT NULL) <= 10.19e0)) IS NOT TRUE;

-- Leaf 45: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   driver (mean results (days_before <= 365.0).grid >= 15.358)
--   driver (min results.positionOrder <= 18.5)
--   driver (mean qualifying (days_before <= 365.0).position >= 16.3)
CREATE VIEW "leaf_45" AS
SELECT t232."id"
FROM "task_driver_dnf" AS t232
WHERE t232.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d233 WHERE d233."driverId" = t232."driverId" AND d233."dob" < t232."date" AND (SELECT AVG(r234."points") FROM "results" AS r234 WHERE r234."driverId" = d233."driverId" AND (CAST(strftime('%s', r234."date") AS INTEGER) / 86400.0) < (julianday(t232."date") - 2440587.5) AND ((julianday(t232."date") - 2440587.5) - (CAST(strftime('%s', r234."date") AS INTEGER) / 86400.0)) <= 365 AND r234."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d235 WHERE d235."driverId" = t232."driverId" AND d235."dob" < t232."date" AND (SELECT AVG(r236."laps") FROM "results" AS r236 WHERE r236."driverId" = d235."driverId" AND (CAST(strftime('%s', r236."date") AS INTEGER) / 86400.0) < (julianday(t232."date") - 2440587.5) AND r236."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d237 WHERE d237."driverId" = t232."driverId" AND d237."dob" < t232."date" AND (SELECT AVG(CASE WHEN r238."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r238 WHERE r238."driverId" = d237."driverId" AND (CAST(strftime('%s', r238."date") AS INTEGER) / 86400.0) < (julianday(t232."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d239 WHERE d239."driverId" = t232."driverId" AND d239."dob" < t232."date" AND (SELECT AVG(r240."grid") FROM "results" AS r240 WHERE r240."driverId" = d239."driverId" AND (CAST(strftime('%s', r240."date") AS INTEGER) / 86400.0) < (julianday(t232."date") - 2440587.5) AND ((julianday(t232."date") - 2440587.5) - (CAST(strftime('%s', r240."date") AS INTEGER) / 86400.0)) <= 365 AND r240."grid" IS NOT NULL) >= 15.358e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d241 WHERE d241."driverId" = t232."driverId" AND d241."dob" < t232."date" AND (SELECT MIN(r242."positionOrder") FROM "results" AS r242 WHERE r242."driverId" = d241."driverId" AND (CAST(strftime('%s', r242."date") AS INTEGER) / 86400.0) < (julianday(t232."date") - 2440587.5) AND r242."positionOrder" IS NOT NULL) <= 18.5e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d243 WHERE d243."driverId" = t232."driverId" AND d243."dob" < t232."date" AND (SELECT AVG(q244."position") FROM "qualifying" AS q244 WHERE q244."driverId" = d243."driverId" AND (CAST(strftime('%s', q244."date") AS INTEGER) / 86400.0) < (julianday(t232."date") - 2440587.5) AND ((julianday(t232."date") - 2440587.5) - (CAST(strftime('%s', q244."date") AS INTEGER) / 86400.0)) <= 365 AND q244."position" IS NOT NULL) >= 16.3e0));

-- Leaf 46: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   driver (mean results (days_before <= 365.0).grid >= 15.358)
--   driver (min results.positionOrder <= 18.5)
--   not driver (mean qualifying (days_before <= 365.0).position >= 16.3)
CREATE VIEW "leaf_46" AS
SELECT t245."id"
FROM "task_driver_dnf" AS t245
WHERE t245.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d246 WHERE d246."driverId" = t245."driverId" AND d246."dob" < t245."date" AND (SELECT AVG(r247."points") FROM "results" AS r247 WHERE r247."driverId" = d246."driverId" AND (CAST(strftime('%s', r247."date") AS INTEGER) / 86400.0) < (julianday(t245."date") - 2440587.5) AND ((julianday(t245."date") - 2440587.5) - (CAST(strftime('%s', r247."date") AS INTEGER) / 86400.0)) <= 365 AND r247."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d248 WHERE d248."driverId" = t245."driverId" AND d248."dob" < t245."date" AND (SELECT AVG(r249."laps") FROM "results" AS r249 WHERE r249."driverId" = d248."driverId" AND (CAST(strftime('%s', r249."date") AS INTEGER) / 86400.0) < (julianday(t245."date") - 2440587.5) AND r249."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d250 WHERE d250."driverId" = t245."driverId" AND d250."dob" < t245."date" AND (SELECT AVG(CASE WHEN r251."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r251 WHERE r251."driverId" = d250."driverId" AND (CAST(strftime('%s', r251."date") AS INTEGER) / 86400.0) < (julianday(t245."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d252 WHERE d252."driverId" = t245."driverId" AND d252."dob" < t245."date" AND (SELECT AVG(r253."grid") FROM "results" AS r253 WHERE r253."driverId" = d252."driverId" AND (CAST(strftime('%s', r253."date") AS INTEGER) / 86400.0) < (julianday(t245."date") - 2440587.5) AND ((julianday(t245."date") - 2440587.5) - (CAST(strftime('%s', r253."date") AS INTEGER) / 86400.0)) <= 365 AND r253."grid" IS NOT NULL) >= 15.358e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d254 WHERE d254."driverId" = t245."driverId" AND d254."dob" < t245."date" AND (SELECT MIN(r255."positionOrder") FROM "results" AS r255 WHERE r255."driverId" = d254."driverId" AND (CAST(strftime('%s', r255."date") AS INTEGER) / 86400.0) < (julianday(t245."date") - 2440587.5) AND r255."positionOrder" IS NOT NULL) <= 18.5e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d256 WHERE d256."driverId" = t245."driverId" AND d256."dob" < t245."date" AND (SELECT AVG(q257."position") FROM "qualifying" AS q257 WHERE q257."driverId" = d256."driverId" AND (CAST(strftime('%s', q257."date") AS INTEGER) / 86400.0) < (julianday(t245."date") - 2440587.5) AND ((julianday(t245."date") - 2440587.5) - (CAST(strftime('%s', q257."date") AS INTEGER) / 86400.0)) <= 365 AND q257."position" IS NOT NULL) >= 16.3e0)) IS NOT TRUE;

-- Leaf 47: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   driver (mean results (days_before <= 365.0).grid >= 15.358)
--   not driver (min results.positionOrder <= 18.5)
CREATE VIEW "leaf_47" AS
SELECT t258."id"
FROM "task_driver_dnf" AS t258
WHERE t258.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d259 WHERE d259."driverId" = t258."driverId" AND d259."dob" < t258."date" AND (SELECT AVG(r260."points") FROM "results" AS r260 WHERE r260."driverId" = d259."driverId" AND (CAST(strftime('%s', r260."date") AS INTEGER) / 86400.0) < (julianday(t258."date") - 2440587.5) AND ((julianday(t258."date") - 2440587.5) - (CAST(strftime('%s', r260."date") AS INTEGER) / 86400.0)) <= 365 AND r260."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d261 WHERE d261."driverId" = t258."driverId" AND d261."dob" < t258."date" AND (SELECT AVG(r262."laps") FROM "results" AS r262 WHERE r262."driverId" = d261."driverId" AND (CAST(strftime('%s', r262."date") AS INTEGER) / 86400.0) < (julianday(t258."date") - 2440587.5) AND r262."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d263 WHERE d263."driverId" = t258."driverId" AND d263."dob" < t258."date" AND (SELECT AVG(CASE WHEN r264."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r264 WHERE r264."driverId" = d263."driverId" AND (CAST(strftime('%s', r264."date") AS INTEGER) / 86400.0) < (julianday(t258."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d265 WHERE d265."driverId" = t258."driverId" AND d265."dob" < t258."date" AND (SELECT AVG(r266."grid") FROM "results" AS r266 WHERE r266."driverId" = d265."driverId" AND (CAST(strftime('%s', r266."date") AS INTEGER) / 86400.0) < (julianday(t258."date") - 2440587.5) AND ((julianday(t258."date") - 2440587.5) - (CAST(strftime('%s', r266."date") AS INTEGER) / 86400.0)) <= 365 AND r266."grid" IS NOT NULL) >= 15.358e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d267 WHERE d267."driverId" = t258."driverId" AND d267."dob" < t258."date" AND (SELECT MIN(r268."positionOrder") FROM "results" AS r268 WHERE r268."driverId" = d267."driverId" AND (CAST(strftime('%s', r268."date") AS INTEGER) / 86400.0) < (julianday(t258."date") - 2440587.5) AND r268."positionOrder" IS NOT NULL) <= 18.5e0)) IS NOT TRUE;

-- Leaf 51: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   not driver (mean results (days_before <= 365.0).grid >= 15.358)
--   driver (mean results.positionOrder >= 18.114)
--   driver (mean results.grid >= 12.007)
--   driver (count results (days_before <= 365.0) >= 2)
CREATE VIEW "leaf_51" AS
SELECT t269."id"
FROM "task_driver_dnf" AS t269
WHERE t269.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d270 WHERE d270."driverId" = t269."driverId" AND d270."dob" < t269."date" AND (SELECT AVG(r271."points") FROM "results" AS r271 WHERE r271."driverId" = d270."driverId" AND (CAST(strftime('%s', r271."date") AS INTEGER) / 86400.0) < (julianday(t269."date") - 2440587.5) AND ((julianday(t269."date") - 2440587.5) - (CAST(strftime('%s', r271."date") AS INTEGER) / 86400.0)) <= 365 AND r271."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d272 WHERE d272."driverId" = t269."driverId" AND d272."dob" < t269."date" AND (SELECT AVG(r273."laps") FROM "results" AS r273 WHERE r273."driverId" = d272."driverId" AND (CAST(strftime('%s', r273."date") AS INTEGER) / 86400.0) < (julianday(t269."date") - 2440587.5) AND r273."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d274 WHERE d274."driverId" = t269."driverId" AND d274."dob" < t269."date" AND (SELECT AVG(CASE WHEN r275."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r275 WHERE r275."driverId" = d274."driverId" AND (CAST(strftime('%s', r275."date") AS INTEGER) / 86400.0) < (julianday(t269."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d276 WHERE d276."driverId" = t269."driverId" AND d276."dob" < t269."date" AND (SELECT AVG(r277."grid") FROM "results" AS r277 WHERE r277."driverId" = d276."driverId" AND (CAST(strftime('%s', r277."date") AS INTEGER) / 86400.0) < (julianday(t269."date") - 2440587.5) AND ((julianday(t269."date") - 2440587.5) - (CAST(strftime('%s', r277."date") AS INTEGER) / 86400.0)) <= 365 AND r277."grid" IS NOT NULL) >= 15.358e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d278 WHERE d278."driverId" = t269."driverId" AND d278."dob" < t269."date" AND (SELECT AVG(r279."positionOrder") FROM "results" AS r279 WHERE r279."driverId" = d278."driverId" AND (CAST(strftime('%s', r279."date") AS INTEGER) / 86400.0) < (julianday(t269."date") - 2440587.5) AND r279."positionOrder" IS NOT NULL) >= 18.114e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d280 WHERE d280."driverId" = t269."driverId" AND d280."dob" < t269."date" AND (SELECT AVG(r281."grid") FROM "results" AS r281 WHERE r281."driverId" = d280."driverId" AND (CAST(strftime('%s', r281."date") AS INTEGER) / 86400.0) < (julianday(t269."date") - 2440587.5) AND r281."grid" IS NOT NULL) >= 12.007e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d282 WHERE d282."driverId" = t269."driverId" AND d282."dob" < t269."date" AND (SELECT COUNT(*) FROM "results" AS r283 WHERE r283."driverId" = d282."driverId" AND (CAST(strftime('%s', r283."date") AS INTEGER) / 86400.0) < (julianday(t269."date") - 2440587.5) AND ((julianday(t269."date") - 2440587.5) - (CAST(strftime('%s', r283."date") AS INTEGER) / 86400.0)) <= 365) >= 2));

-- Leaf 52: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   not driver (mean results (days_before <= 365.0).grid >= 15.358)
--   driver (mean results.positionOrder >= 18.114)
--   driver (mean results.grid >= 12.007)
--   not driver (count results (days_before <= 365.0) >= 2)
CREATE VIEW "leaf_52" AS
SELECT t284."id"
FROM "task_driver_dnf" AS t284
WHERE t284.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d285 WHERE d285."driverId" = t284."driverId" AND d285."dob" < t284."date" AND (SELECT AVG(r286."points") FROM "results" AS r286 WHERE r286."driverId" = d285."driverId" AND (CAST(strftime('%s', r286."date") AS INTEGER) / 86400.0) < (julianday(t284."date") - 2440587.5) AND ((julianday(t284."date") - 2440587.5) - (CAST(strftime('%s', r286."date") AS INTEGER) / 86400.0)) <= 365 AND r286."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d287 WHERE d287."driverId" = t284."driverId" AND d287."dob" < t284."date" AND (SELECT AVG(r288."laps") FROM "results" AS r288 WHERE r288."driverId" = d287."driverId" AND (CAST(strftime('%s', r288."date") AS INTEGER) / 86400.0) < (julianday(t284."date") - 2440587.5) AND r288."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d289 WHERE d289."driverId" = t284."driverId" AND d289."dob" < t284."date" AND (SELECT AVG(CASE WHEN r290."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r290 WHERE r290."driverId" = d289."driverId" AND (CAST(strftime('%s', r290."date") AS INTEGER) / 86400.0) < (julianday(t284."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d291 WHERE d291."driverId" = t284."driverId" AND d291."dob" < t284."date" AND (SELECT AVG(r292."grid") FROM "results" AS r292 WHERE r292."driverId" = d291."driverId" AND (CAST(strftime('%s', r292."date") AS INTEGER) / 86400.0) < (julianday(t284."date") - 2440587.5) AND ((julianday(t284."date") - 2440587.5) - (CAST(strftime('%s', r292."date") AS INTEGER) / 86400.0)) <= 365 AND r292."grid" IS NOT NULL) >= 15.358e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d293 WHERE d293."driverId" = t284."driverId" AND d293."dob" < t284."date" AND (SELECT AVG(r294."positionOrder") FROM "results" AS r294 WHERE r294."driverId" = d293."driverId" AND (CAST(strftime('%s', r294."date") AS INTEGER) / 86400.0) < (julianday(t284."date") - 2440587.5) AND r294."positionOrder" IS NOT NULL) >= 18.114e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d295 WHERE d295."driverId" = t284."driverId" AND d295."dob" < t284."date" AND (SELECT AVG(r296."grid") FROM "results" AS r296 WHERE r296."driverId" = d295."driverId" AND (CAST(strftime('%s', r296."date") AS INTEGER) / 86400.0) < (julianday(t284."date") - 2440587.5) AND r296."grid" IS NOT NULL) >= 12.007e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d297 WHERE d297."driverId" = t284."driverId" AND d297."dob" < t284."date" AND (SELECT COUNT(*) FROM "results" AS r298 WHERE r298."driverId" = d297."driverId" AND (CAST(strftime('%s', r298."date") AS INTEGER) / 86400.0) < (julianday(t284."date") - 2440587.5) AND ((julianday(t284."date") - 2440587.5) - (CAST(strftime('%s', r298."date") AS INTEGER) / 86400.0)) <= 365) >= 2)) IS NOT TRUE;

-- Leaf 53: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   not driver (mean results (days_before <= 365.0).grid >= 15.358)
--   driver (mean results.positionOrder >= 18.114)
--   not driver (mean results.grid >= 12.007)
CREATE VIEW "leaf_53" AS
SELECT t299."id"
FROM "task_driver_dnf" AS t299
WHERE t299.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d300 WHERE d300."driverId" = t299."driverId" AND d300."dob" < t299."date" AND (SELECT AVG(r301."points") FROM "results" AS r301 WHERE r301."driverId" = d300."driverId" AND (CAST(strftime('%s', r301."date") AS INTEGER) / 86400.0) < (julianday(t299."date") - 2440587.5) AND ((julianday(t299."date") - 2440587.5) - (CAST(strftime('%s', r301."date") AS INTEGER) / 86400.0)) <= 365 AND r301."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d302 WHERE d302."driverId" = t299."driverId" AND d302."dob" < t299."date" AND (SELECT AVG(r303."laps") FROM "results" AS r303 WHERE r303."driverId" = d302."driverId" AND (CAST(strftime('%s', r303."date") AS INTEGER) / 86400.0) < (julianday(t299."date") - 2440587.5) AND r303."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d304 WHERE d304."driverId" = t299."driverId" AND d304."dob" < t299."date" AND (SELECT AVG(CASE WHEN r305."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r305 WHERE r305."driverId" = d304."driverId" AND (CAST(strftime('%s', r305."date") AS INTEGER) / 86400.0) < (julianday(t299."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d306 WHERE d306."driverId" = t299."driverId" AND d306."dob" < t299."date" AND (SELECT AVG(r307."grid") FROM "results" AS r307 WHERE r307."driverId" = d306."driverId" AND (CAST(strftime('%s', r307."date") AS INTEGER) / 86400.0) < (julianday(t299."date") - 2440587.5) AND ((julianday(t299."date") - 2440587.5) - (CAST(strftime('%s', r307."date") AS INTEGER) / 86400.0)) <= 365 AND r307."grid" IS NOT NULL) >= 15.358e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d308 WHERE d308."driverId" = t299."driverId" AND d308."dob" < t299."date" AND (SELECT AVG(r309."positionOrder") FROM "results" AS r309 WHERE r309."driverId" = d308."driverId" AND (CAST(strftime('%s', r309."date") AS INTEGER) / 86400.0) < (julianday(t299."date") - 2440587.5) AND r309."positionOrder" IS NOT NULL) >= 18.114e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d310 WHERE d310."driverId" = t299."driverId" AND d310."dob" < t299."date" AND (SELECT AVG(r311."grid") FROM "results" AS r311 WHERE r311."driverId" = d310."driverId" AND (CAST(strftime('%s', r311."date") AS INTEGER) / 86400.0) < (julianday(t299."date") - 2440587.5) AND r311."grid" IS NOT NULL) >= 12.007e0)) IS NOT TRUE;

-- Leaf 55: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   not driver (mean results (days_before <= 365.0).grid >= 15.358)
--   not driver (mean results.positionOrder >= 18.114)
--   driver (mean results (days_before <= 365.0).grid <= 10.806)
CREATE VIEW "leaf_55" AS
SELECT t312."id"
FROM "task_driver_dnf" AS t312
WHERE t312.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d313 WHERE d313."driverId" = t312."driverId" AND d313."dob" < t312."date" AND (SELECT AVG(r314."points") FROM "results" AS r314 WHERE r314."driverId" = d313."driverId" AND (CAST(strftime('%s', r314."date") AS INTEGER) / 86400.0) < (julianday(t312."date") - 2440587.5) AND ((julianday(t312."date") - 2440587.5) - (CAST(strftime('%s', r314."date") AS INTEGER) / 86400.0)) <= 365 AND r314."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d315 WHERE d315."driverId" = t312."driverId" AND d315."dob" < t312."date" AND (SELECT AVG(r316."laps") FROM "results" AS r316 WHERE r316."driverId" = d315."driverId" AND (CAST(strftime('%s', r316."date") AS INTEGER) / 86400.0) < (julianday(t312."date") - 2440587.5) AND r316."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d317 WHERE d317."driverId" = t312."driverId" AND d317."dob" < t312."date" AND (SELECT AVG(CASE WHEN r318."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r318 WHERE r318."driverId" = d317."driverId" AND (CAST(strftime('%s', r318."date") AS INTEGER) / 86400.0) < (julianday(t312."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d319 WHERE d319."driverId" = t312."driverId" AND d319."dob" < t312."date" AND (SELECT AVG(r320."grid") FROM "results" AS r320 WHERE r320."driverId" = d319."driverId" AND (CAST(strftime('%s', r320."date") AS INTEGER) / 86400.0) < (julianday(t312."date") - 2440587.5) AND ((julianday(t312."date") - 2440587.5) - (CAST(strftime('%s', r320."date") AS INTEGER) / 86400.0)) <= 365 AND r320."grid" IS NOT NULL) >= 15.358e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d321 WHERE d321."driverId" = t312."driverId" AND d321."dob" < t312."date" AND (SELECT AVG(r322."positionOrder") FROM "results" AS r322 WHERE r322."driverId" = d321."driverId" AND (CAST(strftime('%s', r322."date") AS INTEGER) / 86400.0) < (julianday(t312."date") - 2440587.5) AND r322."positionOrder" IS NOT NULL) >= 18.114e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d323 WHERE d323."driverId" = t312."driverId" AND d323."dob" < t312."date" AND (SELECT AVG(r324."grid") FROM "results" AS r324 WHERE r324."driverId" = d323."driverId" AND (CAST(strftime('%s', r324."date") AS INTEGER) / 86400.0) < (julianday(t312."date") - 2440587.5) AND ((julianday(t312."date") - 2440587.5) - (CAST(strftime('%s', r324."date") AS INTEGER) / 86400.0)) <= 365 AND r324."grid" IS NOT NULL) <= 10.806e0));

-- Leaf 57: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   not driver (mean results (days_before <= 365.0).grid >= 15.358)
--   not driver (mean results.positionOrder >= 18.114)
--   not driver (mean results (days_before <= 365.0).grid <= 10.806)
--   driver (mean qualifying (days_before <= 365.0).position >= 13.97)
CREATE VIEW "leaf_57" AS
SELECT t325."id"
FROM "task_driver_dnf" AS t325
WHERE t325.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d326 WHERE d326."driverId" = t325."driverId" AND d326."dob" < t325."date" AND (SELECT AVG(r327."points") FROM "results" AS r327 WHERE r327."driverId" = d326."driverId" AND (CAST(strftime('%s', r327."date") AS INTEGER) / 86400.0) < (julianday(t325."date") - 2440587.5) AND ((julianday(t325."date") - 2440587.5) - (CAST(strftime('%s', r327."date") AS INTEGER) / 86400.0)) <= 365 AND r327."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d328 WHERE d328."driverId" = t325."driverId" AND d328."dob" < t325."date" AND (SELECT AVG(r329."laps") FROM "results" AS r329 WHERE r329."driverId" = d328."driverId" AND (CAST(strftime('%s', r329."date") AS INTEGER) / 86400.0) < (julianday(t325."date") - 2440587.5) AND r329."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d330 WHERE d330."driverId" = t325."driverId" AND d330."dob" < t325."date" AND (SELECT AVG(CASE WHEN r331."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r331 WHERE r331."driverId" = d330."driverId" AND (CAST(strftime('%s', r331."date") AS INTEGER) / 86400.0) < (julianday(t325."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d332 WHERE d332."driverId" = t325."driverId" AND d332."dob" < t325."date" AND (SELECT AVG(r333."grid") FROM "results" AS r333 WHERE r333."driverId" = d332."driverId" AND (CAST(strftime('%s', r333."date") AS INTEGER) / 86400.0) < (julianday(t325."date") - 2440587.5) AND ((julianday(t325."date") - 2440587.5) - (CAST(strftime('%s', r333."date") AS INTEGER) / 86400.0)) <= 365 AND r333."grid" IS NOT NULL) >= 15.358e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d334 WHERE d334."driverId" = t325."driverId" AND d334."dob" < t325."date" AND (SELECT AVG(r335."positionOrder") FROM "results" AS r335 WHERE r335."driverId" = d334."driverId" AND (CAST(strftime('%s', r335."date") AS INTEGER) / 86400.0) < (julianday(t325."date") - 2440587.5) AND r335."positionOrder" IS NOT NULL) >= 18.114e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d336 WHERE d336."driverId" = t325."driverId" AND d336."dob" < t325."date" AND (SELECT AVG(r337."grid") FROM "results" AS r337 WHERE r337."driverId" = d336."driverId" AND (CAST(strftime('%s', r337."date") AS INTEGER) / 86400.0) < (julianday(t325."date") - 2440587.5) AND ((julianday(t325."date") - 2440587.5) - (CAST(strftime('%s', r337."date") AS INTEGER) / 86400.0)) <= 365 AND r337."grid" IS NOT NULL) <= 10.806e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d338 WHERE d338."driverId" = t325."driverId" AND d338."dob" < t325."date" AND (SELECT AVG(q339."position") FROM "qualifying" AS q339 WHERE q339."driverId" = d338."driverId" AND (CAST(strftime('%s', q339."date") AS INTEGER) / 86400.0) < (julianday(t325."date") - 2440587.5) AND ((julianday(t325."date") - 2440587.5) - (CAST(strftime('%s', q339."date") AS INTEGER) / 86400.0)) <= 365 AND q339."position" IS NOT NULL) >= 13.97e0));

-- Leaf 58: 1
--   not driver (mean results (days_before <= 365.0).points >= 1.057)
--   not driver (mean results.laps >= 80.8)
--   not driver (share results (statusId <= 1) >= 0.136)
--   not driver (mean results (days_before <= 365.0).grid >= 15.358)
--   not driver (mean results.positionOrder >= 18.114)
--   not driver (mean results (days_before <= 365.0).grid <= 10.806)
--   not driver (mean qualifying (days_before <= 365.0).position >= 13.97)
CREATE VIEW "leaf_58" AS
SELECT t340."id"
FROM "task_driver_dnf" AS t340
WHERE t340.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d341 WHERE d341."driverId" = t340."driverId" AND d341."dob" < t340."date" AND (SELECT AVG(r342."points") FROM "results" AS r342 WHERE r342."driverId" = d341."driverId" AND (CAST(strftime('%s', r342."date") AS INTEGER) / 86400.0) < (julianday(t340."date") - 2440587.5) AND ((julianday(t340."date") - 2440587.5) - (CAST(strftime('%s', r342."date") AS INTEGER) / 86400.0)) <= 365 AND r342."points" IS NOT NULL) >= 1.056999999998943e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d343 WHERE d343."driverId" = t340."driverId" AND d343."dob" < t340."date" AND (SELECT AVG(r344."laps") FROM "results" AS r344 WHERE r344."driverId" = d343."driverId" AND (CAST(strftime('%s', r344."date") AS INTEGER) / 86400.0) < (julianday(t340."date") - 2440587.5) AND r344."laps" IS NOT NULL) >= 80.8e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d345 WHERE d345."driverId" = t340."driverId" AND d345."dob" < t340."date" AND (SELECT AVG(CASE WHEN r346."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r346 WHERE r346."driverId" = d345."driverId" AND (CAST(strftime('%s', r346."date") AS INTEGER) / 86400.0) < (julianday(t340."date") - 2440587.5)) >= 0.136e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d347 WHERE d347."driverId" = t340."driverId" AND d347."dob" < t340."date" AND (SELECT AVG(r348."grid") FROM "results" AS r348 WHERE r348."driverId" = d347."driverId" AND (CAST(strftime('%s', r348."date") AS INTEGER) / 86400.0) < (julianday(t340."date") - 2440587.5) AND ((julianday(t340."date") - 2440587.5) - (CAST(strftime('%s', r348."date") AS INTEGER) / 86400.0)) <= 365 AND r348."grid" IS NOT NULL) >= 15.358e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d349 WHERE d349."driverId" = t340."driverId" AND d349."dob" < t340."date" AND (SELECT AVG(r350."positionOrder") FROM "results" AS r350 WHERE r350."driverId" = d349."driverId" AND (CAST(strftime('%s', r350."date") AS INTEGER) / 86400.0) < (julianday(t340."date") - 2440587.5) AND r350."positionOrder" IS NOT NULL) >= 18.114e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d351 WHERE d351."driverId" = t340."driverId" AND d351."dob" < t340."date" AND (SELECT AVG(r352."grid") FROM "results" AS r352 WHERE r352."driverId" = d351."driverId" AND (CAST(strftime('%s', r352."date") AS INTEGER) / 86400.0) < (julianday(t340."date") - 2440587.5) AND ((julianday(t340."date") - 2440587.5) - (CAST(strftime('%s', r352."date") AS INTEGER) / 86400.0)) <= 365 AND r352."grid" IS NOT NULL) <= 10.806e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d353 WHERE d353."driverId" = t340."driverId" AND d353."dob" < t340."date" AND (SELECT AVG(q354."position") FROM "qualifying" AS q354 WHERE q354."driverId" = d353."driverId" AND (CAST(strftime('%s', q354."date") AS INTEGER) / 86400.0) < (julianday(t340."date") - 2440587.5) AND ((julianday(t340."date") - 2440587.5) - (CAST(strftime('%s', q354."date") AS INTEGER) / 86400.0)) <= 365 AND q354."position" IS NOT NULL) >= 13.97e0)) IS NOT TRUE;

CREATE VIEW "prediction" AS
SELECT "id", leaf,
    CASE leaf WHEN 6 THEN 1 WHEN 7 THEN 0 WHEN 8 THEN 1 WHEN 10 THEN 1 WHEN 11 THEN 1 WHEN 12 THEN 0 WHEN 17 THEN 1 WHEN 18 THEN 1 WHEN 19 THEN 1 WHEN 21 THEN 1 WHEN 23 THEN 1 WHEN 24 THEN 1 WHEN 26 THEN 1 WHEN 27 THEN 1 WHEN 30 THEN 1 WHEN 31 THEN 1 WHEN 35 THEN 1 WHEN 37 THEN 1 WHEN 38 THEN 1 WHEN 40 THEN 1 WHEN 41 THEN 1 WHEN 45 THEN 1 WHEN 46 THEN 1 WHEN 47 THEN 1 WHEN 51 THEN 1 WHEN 52 THEN 1 WHEN 53 THEN 1 WHEN 55 THEN 1 WHEN 57 THEN 1 WHEN 58 THEN 1 END AS "prediction",
    CASE leaf WHEN 6 THEN 0.49617670608215225e0 WHEN 7 THEN 0.7046986926970266e0 WHEN 8 THEN 0.405840093346103e0 WHEN 10 THEN 0.451535643964914e0 WHEN 11 THEN 0.3185673791249165e0 WHEN 12 THEN 0.560751658368324e0 WHEN 17 THEN 0.3482998664242243e0 WHEN 18 THEN 0.16981827718842063e0 WHEN 19 THEN 0.09143087259876358e0 WHEN 21 THEN 0.32018587846591123e0 WHEN 23 THEN 0.23594914340800832e0 WHEN 24 THEN 0.15157119230145097e0 WHEN 26 THEN 0.27298132231359534e0 WHEN 27 THEN 0.43860253322368253e0 WHEN 30 THEN 0.3880915161817389e0 WHEN 31 THEN 0.2115440832297948e0 WHEN 35 THEN 0.03173955165949407e0 WHEN 37 THEN 0.2184593086629298e0 WHEN 38 THEN 0.11940930907090742e0 WHEN 40 THEN 0.09884917923304655e0 WHEN 41 THEN 0.03267763615692358e0 WHEN 45 THEN 0.0003885600345612399e0 WHEN 46 THEN 0.011683184467933901e0 WHEN 47 THEN 0.07052894779826592e0 WHEN 51 THEN 0.014367885874584598e0 WHEN 52 THEN 0.08808452472694313e0 WHEN 53 THEN 0.006023932569249613e0 WHEN 55 THEN 0.07971403231573483e0 WHEN 57 THEN 0.006042812025620178e0 WHEN 58 THEN 0.040705279537316195e0 END AS "p_0",
    CASE leaf WHEN 6 THEN 0.5038232939178477e0 WHEN 7 THEN 0.2953013073029735e0 WHEN 8 THEN 0.594159906653897e0 WHEN 10 THEN 0.5484643560350859e0 WHEN 11 THEN 0.6814326208750835e0 WHEN 12 THEN 0.43924834163167603e0 WHEN 17 THEN 0.6517001335757757e0 WHEN 18 THEN 0.8301817228115793e0 WHEN 19 THEN 0.9085691274012364e0 WHEN 21 THEN 0.6798141215340888e0 WHEN 23 THEN 0.7640508565919916e0 WHEN 24 THEN 0.848428807698549e0 WHEN 26 THEN 0.7270186776864047e0 WHEN 27 THEN 0.5613974667763174e0 WHEN 30 THEN 0.6119084838182611e0 WHEN 31 THEN 0.7884559167702052e0 WHEN 35 THEN 0.9682604483405058e0 WHEN 37 THEN 0.7815406913370702e0 WHEN 38 THEN 0.8805906909290926e0 WHEN 40 THEN 0.9011508207669534e0 WHEN 41 THEN 0.9673223638430765e0 WHEN 45 THEN 0.9996114399654387e0 WHEN 46 THEN 0.9883168155320661e0 WHEN 47 THEN 0.9294710522017341e0 WHEN 51 THEN 0.9856321141254154e0 WHEN 52 THEN 0.9119154752730569e0 WHEN 53 THEN 0.9939760674307504e0 WHEN 55 THEN 0.9202859676842651e0 WHEN 57 THEN 0.9939571879743799e0 WHEN 58 THEN 0.9592947204626837e0 END AS "p_1"
FROM (
    SELECT t355."id", CASE
        WHEN EXISTS (SELECT 1 FROM "drivers" AS d356 WHERE d356."driverId" = t355."driverId" AND d356."dob" < t355."date" AND (SELECT AVG(r357."points") FROM "results" AS r357 WHERE r357."driverId" = d356."driverId" AND (CAST(strftime('%s', r357."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', r357."date") AS INTEGER) / 86400.0)) <= 365 AND r357."points" IS NOT NULL) >= 1.056999999998943e0) THEN CASE
            WHEN EXISTS (SELECT 1 FROM "drivers" AS d358 WHERE d358."driverId" = t355."driverId" AND d358."dob" < t355."date" AND (SELECT v FROM (SELECT s359."points" AS v, CAST(strftime('%s', s359."date") AS INTEGER) AS o0, s359.rowid AS o1 FROM "standings" AS s359 WHERE s359."driverId" = d358."driverId" AND (CAST(strftime('%s', s359."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND s359."points" IS NOT NULL AND CAST(strftime('%s', s359."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 23.8e0) THEN CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d360 WHERE d360."driverId" = t355."driverId" AND d360."dob" < t355."date" AND (SELECT AVG(r361."positionOrder") FROM "results" AS r361 WHERE r361."driverId" = d360."driverId" AND (CAST(strftime('%s', r361."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND r361."positionOrder" IS NOT NULL) >= 7.8599e0) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d362 WHERE d362."driverId" = t355."driverId" AND d362."dob" < t355."date" AND (SELECT AVG(q363."position") FROM "qualifying" AS q363 WHERE q363."driverId" = d362."driverId" AND (CAST(strftime('%s', q363."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', q363."date") AS INTEGER) / 86400.0)) <= 365 AND q363."position" IS NOT NULL) <= 7.17e0) THEN CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d364 WHERE d364."driverId" = t355."driverId" AND d364."dob" < t355."date" AND (SELECT AVG(r365."grid") FROM "results" AS r365 WHERE r365."driverId" = d364."driverId" AND (CAST(strftime('%s', r365."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND r365."grid" IS NOT NULL) >= 7.58e0) THEN CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d366 WHERE d366."driverId" = t355."driverId" AND d366."dob" < t355."date" AND (SELECT AVG(q367."position") FROM "qualifying" AS q367 WHERE q367."driverId" = d366."driverId" AND (CAST(strftime('%s', q367."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND q367."position" IS NOT NULL) >= 8.059e0) THEN 6
                            ELSE 7 END
                        ELSE 8 END
                    ELSE CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d368 WHERE d368."driverId" = t355."driverId" AND d368."dob" < t355."date" AND (SELECT v FROM (SELECT s369."points" AS v, CAST(strftime('%s', s369."date") AS INTEGER) AS o0, s369.rowid AS o1 FROM "standings" AS s369 WHERE s369."driverId" = d368."driverId" AND (CAST(strftime('%s', s369."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND s369."points" IS NOT NULL AND CAST(strftime('%s', s369."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 51.2e0) THEN 10
                        ELSE 11 END END
                ELSE 12 END
            ELSE CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d370 WHERE d370."driverId" = t355."driverId" AND d370."dob" < t355."date" AND (SELECT AVG(r371."grid") FROM "results" AS r371 WHERE r371."driverId" = d370."driverId" AND (CAST(strftime('%s', r371."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', r371."date") AS INTEGER) / 86400.0)) <= 365 AND r371."grid" IS NOT NULL) >= 5.343e0) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d372 WHERE d372."driverId" = t355."driverId" AND d372."dob" < t355."date" AND (SELECT v FROM (SELECT s373."position" AS v, CAST(strftime('%s', s373."date") AS INTEGER) AS o0, s373.rowid AS o1 FROM "standings" AS s373 WHERE s373."driverId" = d372."driverId" AND (CAST(strftime('%s', s373."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND s373."position" IS NOT NULL AND CAST(strftime('%s', s373."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 10) THEN CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d374 WHERE d374."driverId" = t355."driverId" AND d374."dob" < t355."date" AND (SELECT AVG(r375."laps") FROM "results" AS r375 WHERE r375."driverId" = d374."driverId" AND (CAST(strftime('%s', r375."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', r375."date") AS INTEGER) / 86400.0)) <= 365 AND r375."laps" IS NOT NULL) >= 55.29e0) THEN CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d376 WHERE d376."driverId" = t355."driverId" AND d376."dob" < t355."date" AND (SELECT AVG(r377."positionOrder") FROM "results" AS r377 WHERE r377."driverId" = d376."driverId" AND (CAST(strftime('%s', r377."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND r377."positionOrder" IS NOT NULL) >= 9.903e0) THEN 17
                            ELSE 18 END
                        ELSE 19 END
                    ELSE CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d378 WHERE d378."driverId" = t355."driverId" AND d378."dob" < t355."date" AND (SELECT MIN(q379."position") FROM "qualifying" AS q379 WHERE q379."driverId" = d378."driverId" AND (CAST(strftime('%s', q379."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', q379."date") AS INTEGER) / 86400.0)) <= 365 AND q379."position" IS NOT NULL) <= 4.5e0) THEN 21
                        ELSE CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d380 WHERE d380."driverId" = t355."driverId" AND d380."dob" < t355."date" AND (SELECT AVG(CASE WHEN r381."positionOrder" <= 3 THEN 1.0 ELSE 0.0 END) FROM "results" AS r381 WHERE r381."driverId" = d380."driverId" AND (CAST(strftime('%s', r381."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5)) >= 0.14513e0) THEN 23
                            ELSE 24 END END END
                ELSE CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d382 WHERE d382."driverId" = t355."driverId" AND d382."dob" < t355."date" AND (SELECT v FROM (SELECT s383."position" AS v, CAST(strftime('%s', s383."date") AS INTEGER) AS o0, s383.rowid AS o1 FROM "standings" AS s383 WHERE s383."driverId" = d382."driverId" AND (CAST(strftime('%s', s383."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND s383."position" IS NOT NULL AND CAST(strftime('%s', s383."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 4) THEN 26
                    ELSE 27 END END END
        ELSE CASE
            WHEN EXISTS (SELECT 1 FROM "drivers" AS d384 WHERE d384."driverId" = t355."driverId" AND d384."dob" < t355."date" AND (SELECT AVG(r385."laps") FROM "results" AS r385 WHERE r385."driverId" = d384."driverId" AND (CAST(strftime('%s', r385."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND r385."laps" IS NOT NULL) >= 80.8e0) THEN CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d386 WHERE d386."driverId" = t355."driverId" AND d386."dob" < t355."date" AND (SELECT COUNT(*) FROM "results" AS r387 WHERE r387."driverId" = d386."driverId" AND (CAST(strftime('%s', r387."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5)) >= 3) THEN 30
                ELSE 31 END
            ELSE CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d388 WHERE d388."driverId" = t355."driverId" AND d388."dob" < t355."date" AND (SELECT AVG(CASE WHEN r389."statusId" <= 1 THEN 1.0 ELSE 0.0 END) FROM "results" AS r389 WHERE r389."driverId" = d388."driverId" AND (CAST(strftime('%s', r389."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5)) >= 0.136e0) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d390 WHERE d390."driverId" = t355."driverId" AND d390."dob" < t355."date" AND (SELECT v FROM (SELECT s391."points" AS v, CAST(strftime('%s', s391."date") AS INTEGER) AS o0, s391.rowid AS o1 FROM "standings" AS s391 WHERE s391."driverId" = d390."driverId" AND (CAST(strftime('%s', s391."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND s391."points" IS NOT NULL AND CAST(strftime('%s', s391."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1.8e0) THEN CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d392 WHERE d392."driverId" = t355."driverId" AND d392."dob" < t355."date" AND (SELECT AVG(q393."position") FROM "qualifying" AS q393 WHERE q393."driverId" = d392."driverId" AND (CAST(strftime('%s', q393."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', q393."date") AS INTEGER) / 86400.0)) <= 365 AND q393."position" IS NOT NULL) >= 14.79e0) THEN 35
                        ELSE CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d394 WHERE d394."driverId" = t355."driverId" AND d394."dob" < t355."date" AND (SELECT AVG(r395."grid") FROM "results" AS r395 WHERE r395."driverId" = d394."driverId" AND (CAST(strftime('%s', r395."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', r395."date") AS INTEGER) / 86400.0)) <= 365 AND r395."grid" IS NOT NULL) <= 7.35e0) THEN 37
                            ELSE 38 END END
                    ELSE CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d396 WHERE d396."driverId" = t355."driverId" AND d396."dob" < t355."date" AND (SELECT AVG(r397."grid") FROM "results" AS r397 WHERE r397."driverId" = d396."driverId" AND (CAST(strftime('%s', r397."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', r397."date") AS INTEGER) / 86400.0)) <= 365 AND r397."grid" IS NOT NULL) <= 10.19e0) THEN 40
                        ELSE 41 END END
                ELSE CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d398 WHERE d398."driverId" = t355."driverId" AND d398."dob" < t355."date" AND (SELECT AVG(r399."grid") FROM "results" AS r399 WHERE r399."driverId" = d398."driverId" AND (CAST(strftime('%s', r399."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', r399."date") AS INTEGER) / 86400.0)) <= 365 AND r399."grid" IS NOT NULL) >= 15.358e0) THEN CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d400 WHERE d400."driverId" = t355."driverId" AND d400."dob" < t355."date" AND (SELECT MIN(r401."positionOrder") FROM "results" AS r401 WHERE r401."driverId" = d400."driverId" AND (CAST(strftime('%s', r401."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND r401."positionOrder" IS NOT NULL) <= 18.5e0) THEN CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d402 WHERE d402."driverId" = t355."driverId" AND d402."dob" < t355."date" AND (SELECT AVG(q403."position") FROM "qualifying" AS q403 WHERE q403."driverId" = d402."driverId" AND (CAST(strftime('%s', q403."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', q403."date") AS INTEGER) / 86400.0)) <= 365 AND q403."position" IS NOT NULL) >= 16.3e0) THEN 45
                            ELSE 46 END
                        ELSE 47 END
                    ELSE CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d404 WHERE d404."driverId" = t355."driverId" AND d404."dob" < t355."date" AND (SELECT AVG(r405."positionOrder") FROM "results" AS r405 WHERE r405."driverId" = d404."driverId" AND (CAST(strftime('%s', r405."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND r405."positionOrder" IS NOT NULL) >= 18.114e0) THEN CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d406 WHERE d406."driverId" = t355."driverId" AND d406."dob" < t355."date" AND (SELECT AVG(r407."grid") FROM "results" AS r407 WHERE r407."driverId" = d406."driverId" AND (CAST(strftime('%s', r407."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND r407."grid" IS NOT NULL) >= 12.007e0) THEN CASE
                                WHEN EXISTS (SELECT 1 FROM "drivers" AS d408 WHERE d408."driverId" = t355."driverId" AND d408."dob" < t355."date" AND (SELECT COUNT(*) FROM "results" AS r409 WHERE r409."driverId" = d408."driverId" AND (CAST(strftime('%s', r409."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', r409."date") AS INTEGER) / 86400.0)) <= 365) >= 2) THEN 51
                                ELSE 52 END
                            ELSE 53 END
                        ELSE CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d410 WHERE d410."driverId" = t355."driverId" AND d410."dob" < t355."date" AND (SELECT AVG(r411."grid") FROM "results" AS r411 WHERE r411."driverId" = d410."driverId" AND (CAST(strftime('%s', r411."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', r411."date") AS INTEGER) / 86400.0)) <= 365 AND r411."grid" IS NOT NULL) <= 10.806e0) THEN 55
                            ELSE CASE
                                WHEN EXISTS (SELECT 1 FROM "drivers" AS d412 WHERE d412."driverId" = t355."driverId" AND d412."dob" < t355."date" AND (SELECT AVG(q413."position") FROM "qualifying" AS q413 WHERE q413."driverId" = d412."driverId" AND (CAST(strftime('%s', q413."date") AS INTEGER) / 86400.0) < (julianday(t355."date") - 2440587.5) AND ((julianday(t355."date") - 2440587.5) - (CAST(strftime('%s', q413."date") AS INTEGER) / 86400.0)) <= 365 AND q413."position" IS NOT NULL) >= 13.97e0) THEN 57
                                ELSE 58 END END END END END END END AS leaf
    FROM "task_driver_dnf" AS t355
    WHERE t355.rowid IN (SELECT rowid FROM "task_driver_dnf" WHERE (split IN ('train', 'val')
))
);
