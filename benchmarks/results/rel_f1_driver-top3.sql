-- What structtree has learned about qualifying of task_driver_top3.

-- Leaf 5: 0
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results (days_before <= 365.0).grid >= 4.833)
--   driver (mean qualifying (days_before <= 365.0).position >= 7.304)
--   driver (latest standings.points by date >= 9.5)
--   driver (count results (top) >= 126)
CREATE VIEW "leaf_5" AS
SELECT t1."id"
FROM "task_driver_top3" AS t1
WHERE t1.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d2 WHERE d2."driverId" = t1."driverId" AND d2."dob" < t1."date" AND (SELECT AVG(r3."points") FROM "results" AS r3 WHERE r3."driverId" = d2."driverId" AND (CAST(strftime('%s', r3."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND ((julianday(t1."date") - 2440587.5) - (CAST(strftime('%s', r3."date") AS INTEGER) / 86400.0)) <= 365 AND r3."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d4 WHERE d4."driverId" = t1."driverId" AND d4."dob" < t1."date" AND (SELECT AVG(r5."grid") FROM "results" AS r5 WHERE r5."driverId" = d4."driverId" AND (CAST(strftime('%s', r5."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND ((julianday(t1."date") - 2440587.5) - (CAST(strftime('%s', r5."date") AS INTEGER) / 86400.0)) <= 365 AND r5."grid" IS NOT NULL) >= 4.833e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d6 WHERE d6."driverId" = t1."driverId" AND d6."dob" < t1."date" AND (SELECT AVG(q7."position") FROM "qualifying" AS q7 WHERE q7."driverId" = d6."driverId" AND (CAST(strftime('%s', q7."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND ((julianday(t1."date") - 2440587.5) - (CAST(strftime('%s', q7."date") AS INTEGER) / 86400.0)) <= 365 AND q7."position" IS NOT NULL) >= 7.304e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d8 WHERE d8."driverId" = t1."driverId" AND d8."dob" < t1."date" AND (SELECT v FROM (SELECT s9."points" AS v, CAST(strftime('%s', s9."date") AS INTEGER) AS o0, s9.rowid AS o1 FROM "standings" AS s9 WHERE s9."driverId" = d8."driverId" AND (CAST(strftime('%s', s9."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5) AND s9."points" IS NOT NULL AND CAST(strftime('%s', s9."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 9.5e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d10 WHERE d10."driverId" = t1."driverId" AND d10."dob" < t1."date" AND (SELECT COUNT(*) FROM "results" AS r11 WHERE r11."driverId" = d10."driverId" AND (CAST(strftime('%s', r11."date") AS INTEGER) / 86400.0) < (julianday(t1."date") - 2440587.5)) >= 126));

-- Leaf 6: 0
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results (days_before <= 365.0).grid >= 4.833)
--   driver (mean qualifying (days_before <= 365.0).position >= 7.304)
--   driver (latest standings.points by date >= 9.5)
--   not driver (count results (top) >= 126)
CREATE VIEW "leaf_6" AS
SELECT t12."id"
FROM "task_driver_top3" AS t12
WHERE t12.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d13 WHERE d13."driverId" = t12."driverId" AND d13."dob" < t12."date" AND (SELECT AVG(r14."points") FROM "results" AS r14 WHERE r14."driverId" = d13."driverId" AND (CAST(strftime('%s', r14."date") AS INTEGER) / 86400.0) < (julianday(t12."date") - 2440587.5) AND ((julianday(t12."date") - 2440587.5) - (CAST(strftime('%s', r14."date") AS INTEGER) / 86400.0)) <= 365 AND r14."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d15 WHERE d15."driverId" = t12."driverId" AND d15."dob" < t12."date" AND (SELECT AVG(r16."grid") FROM "results" AS r16 WHERE r16."driverId" = d15."driverId" AND (CAST(strftime('%s', r16."date") AS INTEGER) / 86400.0) < (julianday(t12."date") - 2440587.5) AND ((julianday(t12."date") - 2440587.5) - (CAST(strftime('%s', r16."date") AS INTEGER) / 86400.0)) <= 365 AND r16."grid" IS NOT NULL) >= 4.833e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d17 WHERE d17."driverId" = t12."driverId" AND d17."dob" < t12."date" AND (SELECT AVG(q18."position") FROM "qualifying" AS q18 WHERE q18."driverId" = d17."driverId" AND (CAST(strftime('%s', q18."date") AS INTEGER) / 86400.0) < (julianday(t12."date") - 2440587.5) AND ((julianday(t12."date") - 2440587.5) - (CAST(strftime('%s', q18."date") AS INTEGER) / 86400.0)) <= 365 AND q18."position" IS NOT NULL) >= 7.304e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d19 WHERE d19."driverId" = t12."driverId" AND d19."dob" < t12."date" AND (SELECT v FROM (SELECT s20."points" AS v, CAST(strftime('%s', s20."date") AS INTEGER) AS o0, s20.rowid AS o1 FROM "standings" AS s20 WHERE s20."driverId" = d19."driverId" AND (CAST(strftime('%s', s20."date") AS INTEGER) / 86400.0) < (julianday(t12."date") - 2440587.5) AND s20."points" IS NOT NULL AND CAST(strftime('%s', s20."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 9.5e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d21 WHERE d21."driverId" = t12."driverId" AND d21."dob" < t12."date" AND (SELECT COUNT(*) FROM "results" AS r22 WHERE r22."driverId" = d21."driverId" AND (CAST(strftime('%s', r22."date") AS INTEGER) / 86400.0) < (julianday(t12."date") - 2440587.5)) >= 126)) IS NOT TRUE;

-- Leaf 7: 0
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results (days_before <= 365.0).grid >= 4.833)
--   driver (mean qualifying (days_before <= 365.0).position >= 7.304)
--   not driver (latest standings.points by date >= 9.5)
CREATE VIEW "leaf_7" AS
SELECT t23."id"
FROM "task_driver_top3" AS t23
WHERE t23.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d24 WHERE d24."driverId" = t23."driverId" AND d24."dob" < t23."date" AND (SELECT AVG(r25."points") FROM "results" AS r25 WHERE r25."driverId" = d24."driverId" AND (CAST(strftime('%s', r25."date") AS INTEGER) / 86400.0) < (julianday(t23."date") - 2440587.5) AND ((julianday(t23."date") - 2440587.5) - (CAST(strftime('%s', r25."date") AS INTEGER) / 86400.0)) <= 365 AND r25."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d26 WHERE d26."driverId" = t23."driverId" AND d26."dob" < t23."date" AND (SELECT AVG(r27."grid") FROM "results" AS r27 WHERE r27."driverId" = d26."driverId" AND (CAST(strftime('%s', r27."date") AS INTEGER) / 86400.0) < (julianday(t23."date") - 2440587.5) AND ((julianday(t23."date") - 2440587.5) - (CAST(strftime('%s', r27."date") AS INTEGER) / 86400.0)) <= 365 AND r27."grid" IS NOT NULL) >= 4.833e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d28 WHERE d28."driverId" = t23."driverId" AND d28."dob" < t23."date" AND (SELECT AVG(q29."position") FROM "qualifying" AS q29 WHERE q29."driverId" = d28."driverId" AND (CAST(strftime('%s', q29."date") AS INTEGER) / 86400.0) < (julianday(t23."date") - 2440587.5) AND ((julianday(t23."date") - 2440587.5) - (CAST(strftime('%s', q29."date") AS INTEGER) / 86400.0)) <= 365 AND q29."position" IS NOT NULL) >= 7.304e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d30 WHERE d30."driverId" = t23."driverId" AND d30."dob" < t23."date" AND (SELECT v FROM (SELECT s31."points" AS v, CAST(strftime('%s', s31."date") AS INTEGER) AS o0, s31.rowid AS o1 FROM "standings" AS s31 WHERE s31."driverId" = d30."driverId" AND (CAST(strftime('%s', s31."date") AS INTEGER) / 86400.0) < (julianday(t23."date") - 2440587.5) AND s31."points" IS NOT NULL AND CAST(strftime('%s', s31."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 9.5e0)) IS NOT TRUE;

-- Leaf 10: 1
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results (days_before <= 365.0).grid >= 4.833)
--   not driver (mean qualifying (days_before <= 365.0).position >= 7.304)
--   driver (count results (days_before <= 365.0) >= 17)
--   driver (latest standings.wins by date >= 1)
CREATE VIEW "leaf_10" AS
SELECT t32."id"
FROM "task_driver_top3" AS t32
WHERE t32.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d33 WHERE d33."driverId" = t32."driverId" AND d33."dob" < t32."date" AND (SELECT AVG(r34."points") FROM "results" AS r34 WHERE r34."driverId" = d33."driverId" AND (CAST(strftime('%s', r34."date") AS INTEGER) / 86400.0) < (julianday(t32."date") - 2440587.5) AND ((julianday(t32."date") - 2440587.5) - (CAST(strftime('%s', r34."date") AS INTEGER) / 86400.0)) <= 365 AND r34."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d35 WHERE d35."driverId" = t32."driverId" AND d35."dob" < t32."date" AND (SELECT AVG(r36."grid") FROM "results" AS r36 WHERE r36."driverId" = d35."driverId" AND (CAST(strftime('%s', r36."date") AS INTEGER) / 86400.0) < (julianday(t32."date") - 2440587.5) AND ((julianday(t32."date") - 2440587.5) - (CAST(strftime('%s', r36."date") AS INTEGER) / 86400.0)) <= 365 AND r36."grid" IS NOT NULL) >= 4.833e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d37 WHERE d37."driverId" = t32."driverId" AND d37."dob" < t32."date" AND (SELECT AVG(q38."position") FROM "qualifying" AS q38 WHERE q38."driverId" = d37."driverId" AND (CAST(strftime('%s', q38."date") AS INTEGER) / 86400.0) < (julianday(t32."date") - 2440587.5) AND ((julianday(t32."date") - 2440587.5) - (CAST(strftime('%s', q38."date") AS INTEGER) / 86400.0)) <= 365 AND q38."position" IS NOT NULL) >= 7.304e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d39 WHERE d39."driverId" = t32."driverId" AND d39."dob" < t32."date" AND (SELECT COUNT(*) FROM "results" AS r40 WHERE r40."driverId" = d39."driverId" AND (CAST(strftime('%s', r40."date") AS INTEGER) / 86400.0) < (julianday(t32."date") - 2440587.5) AND ((julianday(t32."date") - 2440587.5) - (CAST(strftime('%s', r40."date") AS INTEGER) / 86400.0)) <= 365) >= 17))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d41 WHERE d41."driverId" = t32."driverId" AND d41."dob" < t32."date" AND (SELECT v FROM (SELECT s42."wins" AS v, CAST(strftime('%s', s42."date") AS INTEGER) AS o0, s42.rowid AS o1 FROM "standings" AS s42 WHERE s42."driverId" = d41."driverId" AND (CAST(strftime('%s', s42."date") AS INTEGER) / 86400.0) < (julianday(t32."date") - 2440587.5) AND s42."wins" IS NOT NULL AND CAST(strftime('%s', s42."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1));

-- Leaf 11: 0
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results (days_before <= 365.0).grid >= 4.833)
--   not driver (mean qualifying (days_before <= 365.0).position >= 7.304)
--   driver (count results (days_before <= 365.0) >= 17)
--   not driver (latest standings.wins by date >= 1)
CREATE VIEW "leaf_11" AS
SELECT t43."id"
FROM "task_driver_top3" AS t43
WHERE t43.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d44 WHERE d44."driverId" = t43."driverId" AND d44."dob" < t43."date" AND (SELECT AVG(r45."points") FROM "results" AS r45 WHERE r45."driverId" = d44."driverId" AND (CAST(strftime('%s', r45."date") AS INTEGER) / 86400.0) < (julianday(t43."date") - 2440587.5) AND ((julianday(t43."date") - 2440587.5) - (CAST(strftime('%s', r45."date") AS INTEGER) / 86400.0)) <= 365 AND r45."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d46 WHERE d46."driverId" = t43."driverId" AND d46."dob" < t43."date" AND (SELECT AVG(r47."grid") FROM "results" AS r47 WHERE r47."driverId" = d46."driverId" AND (CAST(strftime('%s', r47."date") AS INTEGER) / 86400.0) < (julianday(t43."date") - 2440587.5) AND ((julianday(t43."date") - 2440587.5) - (CAST(strftime('%s', r47."date") AS INTEGER) / 86400.0)) <= 365 AND r47."grid" IS NOT NULL) >= 4.833e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d48 WHERE d48."driverId" = t43."driverId" AND d48."dob" < t43."date" AND (SELECT AVG(q49."position") FROM "qualifying" AS q49 WHERE q49."driverId" = d48."driverId" AND (CAST(strftime('%s', q49."date") AS INTEGER) / 86400.0) < (julianday(t43."date") - 2440587.5) AND ((julianday(t43."date") - 2440587.5) - (CAST(strftime('%s', q49."date") AS INTEGER) / 86400.0)) <= 365 AND q49."position" IS NOT NULL) >= 7.304e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d50 WHERE d50."driverId" = t43."driverId" AND d50."dob" < t43."date" AND (SELECT COUNT(*) FROM "results" AS r51 WHERE r51."driverId" = d50."driverId" AND (CAST(strftime('%s', r51."date") AS INTEGER) / 86400.0) < (julianday(t43."date") - 2440587.5) AND ((julianday(t43."date") - 2440587.5) - (CAST(strftime('%s', r51."date") AS INTEGER) / 86400.0)) <= 365) >= 17))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d52 WHERE d52."driverId" = t43."driverId" AND d52."dob" < t43."date" AND (SELECT v FROM (SELECT s53."wins" AS v, CAST(strftime('%s', s53."date") AS INTEGER) AS o0, s53.rowid AS o1 FROM "standings" AS s53 WHERE s53."driverId" = d52."driverId" AND (CAST(strftime('%s', s53."date") AS INTEGER) / 86400.0) < (julianday(t43."date") - 2440587.5) AND s53."wins" IS NOT NULL AND CAST(strftime('%s', s53."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1)) IS NOT TRUE;

-- Leaf 12: 0
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results (days_before <= 365.0).grid >= 4.833)
--   not driver (mean qualifying (days_before <= 365.0).position >= 7.304)
--   not driver (count results (days_before <= 365.0) >= 17)
CREATE VIEW "leaf_12" AS
SELECT t54."id"
FROM "task_driver_top3" AS t54
WHERE t54.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d55 WHERE d55."driverId" = t54."driverId" AND d55."dob" < t54."date" AND (SELECT AVG(r56."points") FROM "results" AS r56 WHERE r56."driverId" = d55."driverId" AND (CAST(strftime('%s', r56."date") AS INTEGER) / 86400.0) < (julianday(t54."date") - 2440587.5) AND ((julianday(t54."date") - 2440587.5) - (CAST(strftime('%s', r56."date") AS INTEGER) / 86400.0)) <= 365 AND r56."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d57 WHERE d57."driverId" = t54."driverId" AND d57."dob" < t54."date" AND (SELECT AVG(r58."grid") FROM "results" AS r58 WHERE r58."driverId" = d57."driverId" AND (CAST(strftime('%s', r58."date") AS INTEGER) / 86400.0) < (julianday(t54."date") - 2440587.5) AND ((julianday(t54."date") - 2440587.5) - (CAST(strftime('%s', r58."date") AS INTEGER) / 86400.0)) <= 365 AND r58."grid" IS NOT NULL) >= 4.833e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d59 WHERE d59."driverId" = t54."driverId" AND d59."dob" < t54."date" AND (SELECT AVG(q60."position") FROM "qualifying" AS q60 WHERE q60."driverId" = d59."driverId" AND (CAST(strftime('%s', q60."date") AS INTEGER) / 86400.0) < (julianday(t54."date") - 2440587.5) AND ((julianday(t54."date") - 2440587.5) - (CAST(strftime('%s', q60."date") AS INTEGER) / 86400.0)) <= 365 AND q60."position" IS NOT NULL) >= 7.304e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d61 WHERE d61."driverId" = t54."driverId" AND d61."dob" < t54."date" AND (SELECT COUNT(*) FROM "results" AS r62 WHERE r62."driverId" = d61."driverId" AND (CAST(strftime('%s', r62."date") AS INTEGER) / 86400.0) < (julianday(t54."date") - 2440587.5) AND ((julianday(t54."date") - 2440587.5) - (CAST(strftime('%s', r62."date") AS INTEGER) / 86400.0)) <= 365) >= 17)) IS NOT TRUE;

-- Leaf 15: 1
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results (days_before <= 365.0).grid >= 4.833)
--   driver (mean results (days_before <= 365.0).points >= 3.85)
--   driver (mean qualifying (days_before <= 365.0).position <= 2.52)
CREATE VIEW "leaf_15" AS
SELECT t63."id"
FROM "task_driver_top3" AS t63
WHERE t63.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d64 WHERE d64."driverId" = t63."driverId" AND d64."dob" < t63."date" AND (SELECT AVG(r65."points") FROM "results" AS r65 WHERE r65."driverId" = d64."driverId" AND (CAST(strftime('%s', r65."date") AS INTEGER) / 86400.0) < (julianday(t63."date") - 2440587.5) AND ((julianday(t63."date") - 2440587.5) - (CAST(strftime('%s', r65."date") AS INTEGER) / 86400.0)) <= 365 AND r65."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d66 WHERE d66."driverId" = t63."driverId" AND d66."dob" < t63."date" AND (SELECT AVG(r67."grid") FROM "results" AS r67 WHERE r67."driverId" = d66."driverId" AND (CAST(strftime('%s', r67."date") AS INTEGER) / 86400.0) < (julianday(t63."date") - 2440587.5) AND ((julianday(t63."date") - 2440587.5) - (CAST(strftime('%s', r67."date") AS INTEGER) / 86400.0)) <= 365 AND r67."grid" IS NOT NULL) >= 4.833e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d68 WHERE d68."driverId" = t63."driverId" AND d68."dob" < t63."date" AND (SELECT AVG(r69."points") FROM "results" AS r69 WHERE r69."driverId" = d68."driverId" AND (CAST(strftime('%s', r69."date") AS INTEGER) / 86400.0) < (julianday(t63."date") - 2440587.5) AND ((julianday(t63."date") - 2440587.5) - (CAST(strftime('%s', r69."date") AS INTEGER) / 86400.0)) <= 365 AND r69."points" IS NOT NULL) >= 3.8499999999961503e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d70 WHERE d70."driverId" = t63."driverId" AND d70."dob" < t63."date" AND (SELECT AVG(q71."position") FROM "qualifying" AS q71 WHERE q71."driverId" = d70."driverId" AND (CAST(strftime('%s', q71."date") AS INTEGER) / 86400.0) < (julianday(t63."date") - 2440587.5) AND ((julianday(t63."date") - 2440587.5) - (CAST(strftime('%s', q71."date") AS INTEGER) / 86400.0)) <= 365 AND q71."position" IS NOT NULL) <= 2.52e0));

-- Leaf 17: 1
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results (days_before <= 365.0).grid >= 4.833)
--   driver (mean results (days_before <= 365.0).points >= 3.85)
--   not driver (mean qualifying (days_before <= 365.0).position <= 2.52)
--   driver (mean qualifying (days_before <= 365.0).position >= 3.886)
CREATE VIEW "leaf_17" AS
SELECT t72."id"
FROM "task_driver_top3" AS t72
WHERE t72.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d73 WHERE d73."driverId" = t72."driverId" AND d73."dob" < t72."date" AND (SELECT AVG(r74."points") FROM "results" AS r74 WHERE r74."driverId" = d73."driverId" AND (CAST(strftime('%s', r74."date") AS INTEGER) / 86400.0) < (julianday(t72."date") - 2440587.5) AND ((julianday(t72."date") - 2440587.5) - (CAST(strftime('%s', r74."date") AS INTEGER) / 86400.0)) <= 365 AND r74."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d75 WHERE d75."driverId" = t72."driverId" AND d75."dob" < t72."date" AND (SELECT AVG(r76."grid") FROM "results" AS r76 WHERE r76."driverId" = d75."driverId" AND (CAST(strftime('%s', r76."date") AS INTEGER) / 86400.0) < (julianday(t72."date") - 2440587.5) AND ((julianday(t72."date") - 2440587.5) - (CAST(strftime('%s', r76."date") AS INTEGER) / 86400.0)) <= 365 AND r76."grid" IS NOT NULL) >= 4.833e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d77 WHERE d77."driverId" = t72."driverId" AND d77."dob" < t72."date" AND (SELECT AVG(r78."points") FROM "results" AS r78 WHERE r78."driverId" = d77."driverId" AND (CAST(strftime('%s', r78."date") AS INTEGER) / 86400.0) < (julianday(t72."date") - 2440587.5) AND ((julianday(t72."date") - 2440587.5) - (CAST(strftime('%s', r78."date") AS INTEGER) / 86400.0)) <= 365 AND r78."points" IS NOT NULL) >= 3.8499999999961503e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d79 WHERE d79."driverId" = t72."driverId" AND d79."dob" < t72."date" AND (SELECT AVG(q80."position") FROM "qualifying" AS q80 WHERE q80."driverId" = d79."driverId" AND (CAST(strftime('%s', q80."date") AS INTEGER) / 86400.0) < (julianday(t72."date") - 2440587.5) AND ((julianday(t72."date") - 2440587.5) - (CAST(strftime('%s', q80."date") AS INTEGER) / 86400.0)) <= 365 AND q80."position" IS NOT NULL) <= 2.52e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d81 WHERE d81."driverId" = t72."driverId" AND d81."dob" < t72."date" AND (SELECT AVG(q82."position") FROM "qualifying" AS q82 WHERE q82."driverId" = d81."driverId" AND (CAST(strftime('%s', q82."date") AS INTEGER) / 86400.0) < (julianday(t72."date") - 2440587.5) AND ((julianday(t72."date") - 2440587.5) - (CAST(strftime('%s', q82."date") AS INTEGER) / 86400.0)) <= 365 AND q82."position" IS NOT NULL) >= 3.886e0));

-- Leaf 18: 1
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results (days_before <= 365.0).grid >= 4.833)
--   driver (mean results (days_before <= 365.0).points >= 3.85)
--   not driver (mean qualifying (days_before <= 365.0).position <= 2.52)
--   not driver (mean qualifying (days_before <= 365.0).position >= 3.886)
CREATE VIEW "leaf_18" AS
SELECT t83."id"
FROM "task_driver_top3" AS t83
WHERE t83.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d84 WHERE d84."driverId" = t83."driverId" AND d84."dob" < t83."date" AND (SELECT AVG(r85."points") FROM "results" AS r85 WHERE r85."driverId" = d84."driverId" AND (CAST(strftime('%s', r85."date") AS INTEGER) / 86400.0) < (julianday(t83."date") - 2440587.5) AND ((julianday(t83."date") - 2440587.5) - (CAST(strftime('%s', r85."date") AS INTEGER) / 86400.0)) <= 365 AND r85."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d86 WHERE d86."driverId" = t83."driverId" AND d86."dob" < t83."date" AND (SELECT AVG(r87."grid") FROM "results" AS r87 WHERE r87."driverId" = d86."driverId" AND (CAST(strftime('%s', r87."date") AS INTEGER) / 86400.0) < (julianday(t83."date") - 2440587.5) AND ((julianday(t83."date") - 2440587.5) - (CAST(strftime('%s', r87."date") AS INTEGER) / 86400.0)) <= 365 AND r87."grid" IS NOT NULL) >= 4.833e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d88 WHERE d88."driverId" = t83."driverId" AND d88."dob" < t83."date" AND (SELECT AVG(r89."points") FROM "results" AS r89 WHERE r89."driverId" = d88."driverId" AND (CAST(strftime('%s', r89."date") AS INTEGER) / 86400.0) < (julianday(t83."date") - 2440587.5) AND ((julianday(t83."date") - 2440587.5) - (CAST(strftime('%s', r89."date") AS INTEGER) / 86400.0)) <= 365 AND r89."points" IS NOT NULL) >= 3.8499999999961503e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d90 WHERE d90."driverId" = t83."driverId" AND d90."dob" < t83."date" AND (SELECT AVG(q91."position") FROM "qualifying" AS q91 WHERE q91."driverId" = d90."driverId" AND (CAST(strftime('%s', q91."date") AS INTEGER) / 86400.0) < (julianday(t83."date") - 2440587.5) AND ((julianday(t83."date") - 2440587.5) - (CAST(strftime('%s', q91."date") AS INTEGER) / 86400.0)) <= 365 AND q91."position" IS NOT NULL) <= 2.52e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d92 WHERE d92."driverId" = t83."driverId" AND d92."dob" < t83."date" AND (SELECT AVG(q93."position") FROM "qualifying" AS q93 WHERE q93."driverId" = d92."driverId" AND (CAST(strftime('%s', q93."date") AS INTEGER) / 86400.0) < (julianday(t83."date") - 2440587.5) AND ((julianday(t83."date") - 2440587.5) - (CAST(strftime('%s', q93."date") AS INTEGER) / 86400.0)) <= 365 AND q93."position" IS NOT NULL) >= 3.886e0)) IS NOT TRUE;

-- Leaf 19: 1
--   driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results (days_before <= 365.0).grid >= 4.833)
--   not driver (mean results (days_before <= 365.0).points >= 3.85)
CREATE VIEW "leaf_19" AS
SELECT t94."id"
FROM "task_driver_top3" AS t94
WHERE t94.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d95 WHERE d95."driverId" = t94."driverId" AND d95."dob" < t94."date" AND (SELECT AVG(r96."points") FROM "results" AS r96 WHERE r96."driverId" = d95."driverId" AND (CAST(strftime('%s', r96."date") AS INTEGER) / 86400.0) < (julianday(t94."date") - 2440587.5) AND ((julianday(t94."date") - 2440587.5) - (CAST(strftime('%s', r96."date") AS INTEGER) / 86400.0)) <= 365 AND r96."points" IS NOT NULL) >= 1.271999999998728e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d97 WHERE d97."driverId" = t94."driverId" AND d97."dob" < t94."date" AND (SELECT AVG(r98."grid") FROM "results" AS r98 WHERE r98."driverId" = d97."driverId" AND (CAST(strftime('%s', r98."date") AS INTEGER) / 86400.0) < (julianday(t94."date") - 2440587.5) AND ((julianday(t94."date") - 2440587.5) - (CAST(strftime('%s', r98."date") AS INTEGER) / 86400.0)) <= 365 AND r98."grid" IS NOT NULL) >= 4.833e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d99 WHERE d99."driverId" = t94."driverId" AND d99."dob" < t94."date" AND (SELECT AVG(r100."points") FROM "results" AS r100 WHERE r100."driverId" = d99."driverId" AND (CAST(strftime('%s', r100."date") AS INTEGER) / 86400.0) < (julianday(t94."date") - 2440587.5) AND ((julianday(t94."date") - 2440587.5) - (CAST(strftime('%s', r100."date") AS INTEGER) / 86400.0)) <= 365 AND r100."points" IS NOT NULL) >= 3.8499999999961503e0)) IS NOT TRUE;

-- Leaf 23: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results.points <= 0.419)
--   driver (count results (days_before <= 365.0) >= 17)
--   driver (mean results.positionOrder >= 14.2768)
CREATE VIEW "leaf_23" AS
SELECT t101."id"
FROM "task_driver_top3" AS t101
WHERE t101.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d102 WHERE d102."driverId" = t101."driverId" AND d102."dob" < t101."date" AND (SELECT AVG(r103."points") FROM "results" AS r103 WHERE r103."driverId" = d102."driverId" AND (CAST(strftime('%s', r103."date") AS INTEGER) / 86400.0) < (julianday(t101."date") - 2440587.5) AND ((julianday(t101."date") - 2440587.5) - (CAST(strftime('%s', r103."date") AS INTEGER) / 86400.0)) <= 365 AND r103."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d104 WHERE d104."driverId" = t101."driverId" AND d104."dob" < t101."date" AND (SELECT AVG(r105."points") FROM "results" AS r105 WHERE r105."driverId" = d104."driverId" AND (CAST(strftime('%s', r105."date") AS INTEGER) / 86400.0) < (julianday(t101."date") - 2440587.5) AND r105."points" IS NOT NULL) <= 0.419000000000419e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d106 WHERE d106."driverId" = t101."driverId" AND d106."dob" < t101."date" AND (SELECT COUNT(*) FROM "results" AS r107 WHERE r107."driverId" = d106."driverId" AND (CAST(strftime('%s', r107."date") AS INTEGER) / 86400.0) < (julianday(t101."date") - 2440587.5) AND ((julianday(t101."date") - 2440587.5) - (CAST(strftime('%s', r107."date") AS INTEGER) / 86400.0)) <= 365) >= 17))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d108 WHERE d108."driverId" = t101."driverId" AND d108."dob" < t101."date" AND (SELECT AVG(r109."positionOrder") FROM "results" AS r109 WHERE r109."driverId" = d108."driverId" AND (CAST(strftime('%s', r109."date") AS INTEGER) / 86400.0) < (julianday(t101."date") - 2440587.5) AND r109."positionOrder" IS NOT NULL) >= 14.2768e0));

-- Leaf 24: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results.points <= 0.419)
--   driver (count results (days_before <= 365.0) >= 17)
--   not driver (mean results.positionOrder >= 14.2768)
CREATE VIEW "leaf_24" AS
SELECT t110."id"
FROM "task_driver_top3" AS t110
WHERE t110.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d111 WHERE d111."driverId" = t110."driverId" AND d111."dob" < t110."date" AND (SELECT AVG(r112."points") FROM "results" AS r112 WHERE r112."driverId" = d111."driverId" AND (CAST(strftime('%s', r112."date") AS INTEGER) / 86400.0) < (julianday(t110."date") - 2440587.5) AND ((julianday(t110."date") - 2440587.5) - (CAST(strftime('%s', r112."date") AS INTEGER) / 86400.0)) <= 365 AND r112."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d113 WHERE d113."driverId" = t110."driverId" AND d113."dob" < t110."date" AND (SELECT AVG(r114."points") FROM "results" AS r114 WHERE r114."driverId" = d113."driverId" AND (CAST(strftime('%s', r114."date") AS INTEGER) / 86400.0) < (julianday(t110."date") - 2440587.5) AND r114."points" IS NOT NULL) <= 0.419000000000419e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d115 WHERE d115."driverId" = t110."driverId" AND d115."dob" < t110."date" AND (SELECT COUNT(*) FROM "results" AS r116 WHERE r116."driverId" = d115."driverId" AND (CAST(strftime('%s', r116."date") AS INTEGER) / 86400.0) < (julianday(t110."date") - 2440587.5) AND ((julianday(t110."date") - 2440587.5) - (CAST(strftime('%s', r116."date") AS INTEGER) / 86400.0)) <= 365) >= 17))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d117 WHERE d117."driverId" = t110."driverId" AND d117."dob" < t110."date" AND (SELECT AVG(r118."positionOrder") FROM "results" AS r118 WHERE r118."driverId" = d117."driverId" AND (CAST(strftime('%s', r118."date") AS INTEGER) / 86400.0) < (julianday(t110."date") - 2440587.5) AND r118."positionOrder" IS NOT NULL) >= 14.2768e0)) IS NOT TRUE;

-- Leaf 25: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   driver (mean results.points <= 0.419)
--   not driver (count results (days_before <= 365.0) >= 17)
CREATE VIEW "leaf_25" AS
SELECT t119."id"
FROM "task_driver_top3" AS t119
WHERE t119.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d120 WHERE d120."driverId" = t119."driverId" AND d120."dob" < t119."date" AND (SELECT AVG(r121."points") FROM "results" AS r121 WHERE r121."driverId" = d120."driverId" AND (CAST(strftime('%s', r121."date") AS INTEGER) / 86400.0) < (julianday(t119."date") - 2440587.5) AND ((julianday(t119."date") - 2440587.5) - (CAST(strftime('%s', r121."date") AS INTEGER) / 86400.0)) <= 365 AND r121."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d122 WHERE d122."driverId" = t119."driverId" AND d122."dob" < t119."date" AND (SELECT AVG(r123."points") FROM "results" AS r123 WHERE r123."driverId" = d122."driverId" AND (CAST(strftime('%s', r123."date") AS INTEGER) / 86400.0) < (julianday(t119."date") - 2440587.5) AND r123."points" IS NOT NULL) <= 0.419000000000419e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d124 WHERE d124."driverId" = t119."driverId" AND d124."dob" < t119."date" AND (SELECT COUNT(*) FROM "results" AS r125 WHERE r125."driverId" = d124."driverId" AND (CAST(strftime('%s', r125."date") AS INTEGER) / 86400.0) < (julianday(t119."date") - 2440587.5) AND ((julianday(t119."date") - 2440587.5) - (CAST(strftime('%s', r125."date") AS INTEGER) / 86400.0)) <= 365) >= 17)) IS NOT TRUE;

-- Leaf 28: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results.points <= 0.419)
--   driver (mean results (days_before <= 365.0).grid <= 10.22)
--   driver (mean results (days_before <= 365.0).laps >= 47.85)
CREATE VIEW "leaf_28" AS
SELECT t126."id"
FROM "task_driver_top3" AS t126
WHERE t126.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d127 WHERE d127."driverId" = t126."driverId" AND d127."dob" < t126."date" AND (SELECT AVG(r128."points") FROM "results" AS r128 WHERE r128."driverId" = d127."driverId" AND (CAST(strftime('%s', r128."date") AS INTEGER) / 86400.0) < (julianday(t126."date") - 2440587.5) AND ((julianday(t126."date") - 2440587.5) - (CAST(strftime('%s', r128."date") AS INTEGER) / 86400.0)) <= 365 AND r128."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d129 WHERE d129."driverId" = t126."driverId" AND d129."dob" < t126."date" AND (SELECT AVG(r130."points") FROM "results" AS r130 WHERE r130."driverId" = d129."driverId" AND (CAST(strftime('%s', r130."date") AS INTEGER) / 86400.0) < (julianday(t126."date") - 2440587.5) AND r130."points" IS NOT NULL) <= 0.419000000000419e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d131 WHERE d131."driverId" = t126."driverId" AND d131."dob" < t126."date" AND (SELECT AVG(r132."grid") FROM "results" AS r132 WHERE r132."driverId" = d131."driverId" AND (CAST(strftime('%s', r132."date") AS INTEGER) / 86400.0) < (julianday(t126."date") - 2440587.5) AND ((julianday(t126."date") - 2440587.5) - (CAST(strftime('%s', r132."date") AS INTEGER) / 86400.0)) <= 365 AND r132."grid" IS NOT NULL) <= 10.22e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d133 WHERE d133."driverId" = t126."driverId" AND d133."dob" < t126."date" AND (SELECT AVG(r134."laps") FROM "results" AS r134 WHERE r134."driverId" = d133."driverId" AND (CAST(strftime('%s', r134."date") AS INTEGER) / 86400.0) < (julianday(t126."date") - 2440587.5) AND ((julianday(t126."date") - 2440587.5) - (CAST(strftime('%s', r134."date") AS INTEGER) / 86400.0)) <= 365 AND r134."laps" IS NOT NULL) >= 47.85e0));

-- Leaf 29: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results.points <= 0.419)
--   driver (mean results (days_before <= 365.0).grid <= 10.22)
--   not driver (mean results (days_before <= 365.0).laps >= 47.85)
CREATE VIEW "leaf_29" AS
SELECT t135."id"
FROM "task_driver_top3" AS t135
WHERE t135.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d136 WHERE d136."driverId" = t135."driverId" AND d136."dob" < t135."date" AND (SELECT AVG(r137."points") FROM "results" AS r137 WHERE r137."driverId" = d136."driverId" AND (CAST(strftime('%s', r137."date") AS INTEGER) / 86400.0) < (julianday(t135."date") - 2440587.5) AND ((julianday(t135."date") - 2440587.5) - (CAST(strftime('%s', r137."date") AS INTEGER) / 86400.0)) <= 365 AND r137."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d138 WHERE d138."driverId" = t135."driverId" AND d138."dob" < t135."date" AND (SELECT AVG(r139."points") FROM "results" AS r139 WHERE r139."driverId" = d138."driverId" AND (CAST(strftime('%s', r139."date") AS INTEGER) / 86400.0) < (julianday(t135."date") - 2440587.5) AND r139."points" IS NOT NULL) <= 0.419000000000419e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d140 WHERE d140."driverId" = t135."driverId" AND d140."dob" < t135."date" AND (SELECT AVG(r141."grid") FROM "results" AS r141 WHERE r141."driverId" = d140."driverId" AND (CAST(strftime('%s', r141."date") AS INTEGER) / 86400.0) < (julianday(t135."date") - 2440587.5) AND ((julianday(t135."date") - 2440587.5) - (CAST(strftime('%s', r141."date") AS INTEGER) / 86400.0)) <= 365 AND r141."grid" IS NOT NULL) <= 10.22e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d142 WHERE d142."driverId" = t135."driverId" AND d142."dob" < t135."date" AND (SELECT AVG(r143."laps") FROM "results" AS r143 WHERE r143."driverId" = d142."driverId" AND (CAST(strftime('%s', r143."date") AS INTEGER) / 86400.0) < (julianday(t135."date") - 2440587.5) AND ((julianday(t135."date") - 2440587.5) - (CAST(strftime('%s', r143."date") AS INTEGER) / 86400.0)) <= 365 AND r143."laps" IS NOT NULL) >= 47.85e0)) IS NOT TRUE;

-- Leaf 31: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results.points <= 0.419)
--   not driver (mean results (days_before <= 365.0).grid <= 10.22)
--   driver (mean results (days_before <= 365.0).points <= 0.394)
CREATE VIEW "leaf_31" AS
SELECT t144."id"
FROM "task_driver_top3" AS t144
WHERE t144.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d145 WHERE d145."driverId" = t144."driverId" AND d145."dob" < t144."date" AND (SELECT AVG(r146."points") FROM "results" AS r146 WHERE r146."driverId" = d145."driverId" AND (CAST(strftime('%s', r146."date") AS INTEGER) / 86400.0) < (julianday(t144."date") - 2440587.5) AND ((julianday(t144."date") - 2440587.5) - (CAST(strftime('%s', r146."date") AS INTEGER) / 86400.0)) <= 365 AND r146."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d147 WHERE d147."driverId" = t144."driverId" AND d147."dob" < t144."date" AND (SELECT AVG(r148."points") FROM "results" AS r148 WHERE r148."driverId" = d147."driverId" AND (CAST(strftime('%s', r148."date") AS INTEGER) / 86400.0) < (julianday(t144."date") - 2440587.5) AND r148."points" IS NOT NULL) <= 0.419000000000419e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d149 WHERE d149."driverId" = t144."driverId" AND d149."dob" < t144."date" AND (SELECT AVG(r150."grid") FROM "results" AS r150 WHERE r150."driverId" = d149."driverId" AND (CAST(strftime('%s', r150."date") AS INTEGER) / 86400.0) < (julianday(t144."date") - 2440587.5) AND ((julianday(t144."date") - 2440587.5) - (CAST(strftime('%s', r150."date") AS INTEGER) / 86400.0)) <= 365 AND r150."grid" IS NOT NULL) <= 10.22e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d151 WHERE d151."driverId" = t144."driverId" AND d151."dob" < t144."date" AND (SELECT AVG(r152."points") FROM "results" AS r152 WHERE r152."driverId" = d151."driverId" AND (CAST(strftime('%s', r152."date") AS INTEGER) / 86400.0) < (julianday(t144."date") - 2440587.5) AND ((julianday(t144."date") - 2440587.5) - (CAST(strftime('%s', r152."date") AS INTEGER) / 86400.0)) <= 365 AND r152."points" IS NOT NULL) <= 0.39400000000039404e0));

-- Leaf 33: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results.points <= 0.419)
--   not driver (mean results (days_before <= 365.0).grid <= 10.22)
--   not driver (mean results (days_before <= 365.0).points <= 0.394)
--   driver (share results (positionOrder <= 3) <= 0.0429)
CREATE VIEW "leaf_33" AS
SELECT t153."id"
FROM "task_driver_top3" AS t153
WHERE t153.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d154 WHERE d154."driverId" = t153."driverId" AND d154."dob" < t153."date" AND (SELECT AVG(r155."points") FROM "results" AS r155 WHERE r155."driverId" = d154."driverId" AND (CAST(strftime('%s', r155."date") AS INTEGER) / 86400.0) < (julianday(t153."date") - 2440587.5) AND ((julianday(t153."date") - 2440587.5) - (CAST(strftime('%s', r155."date") AS INTEGER) / 86400.0)) <= 365 AND r155."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d156 WHERE d156."driverId" = t153."driverId" AND d156."dob" < t153."date" AND (SELECT AVG(r157."points") FROM "results" AS r157 WHERE r157."driverId" = d156."driverId" AND (CAST(strftime('%s', r157."date") AS INTEGER) / 86400.0) < (julianday(t153."date") - 2440587.5) AND r157."points" IS NOT NULL) <= 0.419000000000419e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d158 WHERE d158."driverId" = t153."driverId" AND d158."dob" < t153."date" AND (SELECT AVG(r159."grid") FROM "results" AS r159 WHERE r159."driverId" = d158."driverId" AND (CAST(strftime('%s', r159."date") AS INTEGER) / 86400.0) < (julianday(t153."date") - 2440587.5) AND ((julianday(t153."date") - 2440587.5) - (CAST(strftime('%s', r159."date") AS INTEGER) / 86400.0)) <= 365 AND r159."grid" IS NOT NULL) <= 10.22e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d160 WHERE d160."driverId" = t153."driverId" AND d160."dob" < t153."date" AND (SELECT AVG(r161."points") FROM "results" AS r161 WHERE r161."driverId" = d160."driverId" AND (CAST(strftime('%s', r161."date") AS INTEGER) / 86400.0) < (julianday(t153."date") - 2440587.5) AND ((julianday(t153."date") - 2440587.5) - (CAST(strftime('%s', r161."date") AS INTEGER) / 86400.0)) <= 365 AND r161."points" IS NOT NULL) <= 0.39400000000039404e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d162 WHERE d162."driverId" = t153."driverId" AND d162."dob" < t153."date" AND (SELECT AVG(CASE WHEN r163."positionOrder" <= 3 THEN 1.0 ELSE 0.0 END) FROM "results" AS r163 WHERE r163."driverId" = d162."driverId" AND (CAST(strftime('%s', r163."date") AS INTEGER) / 86400.0) < (julianday(t153."date") - 2440587.5)) <= 0.0429e0));

-- Leaf 35: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results.points <= 0.419)
--   not driver (mean results (days_before <= 365.0).grid <= 10.22)
--   not driver (mean results (days_before <= 365.0).points <= 0.394)
--   not driver (share results (positionOrder <= 3) <= 0.0429)
--   driver (mean results (days_before <= 365.0).positionOrder >= 10.382)
CREATE VIEW "leaf_35" AS
SELECT t164."id"
FROM "task_driver_top3" AS t164
WHERE t164.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d165 WHERE d165."driverId" = t164."driverId" AND d165."dob" < t164."date" AND (SELECT AVG(r166."points") FROM "results" AS r166 WHERE r166."driverId" = d165."driverId" AND (CAST(strftime('%s', r166."date") AS INTEGER) / 86400.0) < (julianday(t164."date") - 2440587.5) AND ((julianday(t164."date") - 2440587.5) - (CAST(strftime('%s', r166."date") AS INTEGER) / 86400.0)) <= 365 AND r166."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d167 WHERE d167."driverId" = t164."driverId" AND d167."dob" < t164."date" AND (SELECT AVG(r168."points") FROM "results" AS r168 WHERE r168."driverId" = d167."driverId" AND (CAST(strftime('%s', r168."date") AS INTEGER) / 86400.0) < (julianday(t164."date") - 2440587.5) AND r168."points" IS NOT NULL) <= 0.419000000000419e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d169 WHERE d169."driverId" = t164."driverId" AND d169."dob" < t164."date" AND (SELECT AVG(r170."grid") FROM "results" AS r170 WHERE r170."driverId" = d169."driverId" AND (CAST(strftime('%s', r170."date") AS INTEGER) / 86400.0) < (julianday(t164."date") - 2440587.5) AND ((julianday(t164."date") - 2440587.5) - (CAST(strftime('%s', r170."date") AS INTEGER) / 86400.0)) <= 365 AND r170."grid" IS NOT NULL) <= 10.22e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d171 WHERE d171."driverId" = t164."driverId" AND d171."dob" < t164."date" AND (SELECT AVG(r172."points") FROM "results" AS r172 WHERE r172."driverId" = d171."driverId" AND (CAST(strftime('%s', r172."date") AS INTEGER) / 86400.0) < (julianday(t164."date") - 2440587.5) AND ((julianday(t164."date") - 2440587.5) - (CAST(strftime('%s', r172."date") AS INTEGER) / 86400.0)) <= 365 AND r172."points" IS NOT NULL) <= 0.39400000000039404e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d173 WHERE d173."driverId" = t164."driverId" AND d173."dob" < t164."date" AND (SELECT AVG(CASE WHEN r174."positionOrder" <= 3 THEN 1.0 ELSE 0.0 END) FROM "results" AS r174 WHERE r174."driverId" = d173."driverId" AND (CAST(strftime('%s', r174."date") AS INTEGER) / 86400.0) < (julianday(t164."date") - 2440587.5)) <= 0.0429e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d175 WHERE d175."driverId" = t164."driverId" AND d175."dob" < t164."date" AND (SELECT AVG(r176."positionOrder") FROM "results" AS r176 WHERE r176."driverId" = d175."driverId" AND (CAST(strftime('%s', r176."date") AS INTEGER) / 86400.0) < (julianday(t164."date") - 2440587.5) AND ((julianday(t164."date") - 2440587.5) - (CAST(strftime('%s', r176."date") AS INTEGER) / 86400.0)) <= 365 AND r176."positionOrder" IS NOT NULL) >= 10.382e0));

-- Leaf 36: 0
--   not driver (mean results (days_before <= 365.0).points >= 1.272)
--   not driver (mean results.points <= 0.419)
--   not driver (mean results (days_before <= 365.0).grid <= 10.22)
--   not driver (mean results (days_before <= 365.0).points <= 0.394)
--   not driver (share results (positionOrder <= 3) <= 0.0429)
--   not driver (mean results (days_before <= 365.0).positionOrder >= 10.382)
CREATE VIEW "leaf_36" AS
SELECT t177."id"
FROM "task_driver_top3" AS t177
WHERE t177.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d178 WHERE d178."driverId" = t177."driverId" AND d178."dob" < t177."date" AND (SELECT AVG(r179."points") FROM "results" AS r179 WHERE r179."driverId" = d178."driverId" AND (CAST(strftime('%s', r179."date") AS INTEGER) / 86400.0) < (julianday(t177."date") - 2440587.5) AND ((julianday(t177."date") - 2440587.5) - (CAST(strftime('%s', r179."date") AS INTEGER) / 86400.0)) <= 365 AND r179."points" IS NOT NULL) >= 1.271999999998728e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d180 WHERE d180."driverId" = t177."driverId" AND d180."dob" < t177."date" AND (SELECT AVG(r181."points") FROM "results" AS r181 WHERE r181."driverId" = d180."driverId" AND (CAST(strftime('%s', r181."date") AS INTEGER) / 86400.0) < (julianday(t177."date") - 2440587.5) AND r181."points" IS NOT NULL) <= 0.419000000000419e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d182 WHERE d182."driverId" = t177."driverId" AND d182."dob" < t177."date" AND (SELECT AVG(r183."grid") FROM "results" AS r183 WHERE r183."driverId" = d182."driverId" AND (CAST(strftime('%s', r183."date") AS INTEGER) / 86400.0) < (julianday(t177."date") - 2440587.5) AND ((julianday(t177."date") - 2440587.5) - (CAST(strftime('%s', r183."date") AS INTEGER) / 86400.0)) <= 365 AND r183."grid" IS NOT NULL) <= 10.22e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d184 WHERE d184."driverId" = t177."driverId" AND d184."dob" < t177."date" AND (SELECT AVG(r185."points") FROM "results" AS r185 WHERE r185."driverId" = d184."driverId" AND (CAST(strftime('%s', r185."date") AS INTEGER) / 86400.0) < (julianday(t177."date") - 2440587.5) AND ((julianday(t177."date") - 2440587.5) - (CAST(strftime('%s', r185."date") AS INTEGER) / 86400.0)) <= 365 AND r185."points" IS NOT NULL) <= 0.39400000000039404e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d186 WHERE d186."driverId" = t177."driverId" AND d186."dob" < t177."date" AND (SELECT AVG(CASE WHEN r187."positionOrder" <= 3 THEN 1.0 ELSE 0.0 END) FROM "results" AS r187 WHERE r187."driverId" = d186."driverId" AND (CAST(strftime('%s', r187."date") AS INTEGER) / 86400.0) < (julianday(t177."date") - 2440587.5)) <= 0.0429e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d188 WHERE d188."driverId" = t177."driverId" AND d188."dob" < t177."date" AND (SELECT AVG(r189."positionOrder") FROM "results" AS r189 WHERE r189."driverId" = d188."driverId" AND (CAST(strftime('%s', r189."date") AS INTEGER) / 86400.0) < (julianday(t177."date") - 2440587.5) AND ((julianday(t177."date") - 2440587.5) - (CAST(strftime('%s', r189."date") AS INTEGER) / 86400.0)) <= 365 AND r189."positionOrder" IS NOT NULL) >= 10.382e0)) IS NOT TRUE;

CREATE VIEW "prediction" AS
SELECT "id", leaf,
    CASE leaf WHEN 5 THEN 0 WHEN 6 THEN 0 WHEN 7 THEN 0 WHEN 10 THEN 1 WHEN 11 THEN 0 WHEN 12 THEN 0 WHEN 15 THEN 1 WHEN 17 THEN 1 WHEN 18 THEN 1 WHEN 19 THEN 1 WHEN 23 THEN 0 WHEN 24 THEN 0 WHEN 25 THEN 0 WHEN 28 THEN 0 WHEN 29 THEN 0 WHEN 31 THEN 0 WHEN 33 THEN 0 WHEN 35 THEN 0 WHEN 36 THEN 0 END AS "prediction",
    CASE leaf WHEN 5 THEN 0.8236502015171461e0 WHEN 6 THEN 0.6925448676514808e0 WHEN 7 THEN 0.8672205263146281e0 WHEN 10 THEN 0.35596180994426463e0 WHEN 11 THEN 0.5512681321593997e0 WHEN 12 THEN 0.6604681578189308e0 WHEN 15 THEN 0.14105889591465165e0 WHEN 17 THEN 0.15472293642207158e0 WHEN 18 THEN 0.31337614727766316e0 WHEN 19 THEN 0.4430370717674071e0 WHEN 23 THEN 0.9834957177082498e0 WHEN 24 THEN 0.9981729439950293e0 WHEN 25 THEN 0.9999181807070305e0 WHEN 28 THEN 0.9144901465335357e0 WHEN 29 THEN 0.8090587810623583e0 WHEN 31 THEN 0.9939214542929713e0 WHEN 33 THEN 0.8976189523264393e0 WHEN 35 THEN 0.9965726944078557e0 WHEN 36 THEN 0.9542491275026949e0 END AS "p_0",
    CASE leaf WHEN 5 THEN 0.17634979848285387e0 WHEN 6 THEN 0.30745513234851923e0 WHEN 7 THEN 0.1327794736853719e0 WHEN 10 THEN 0.6440381900557354e0 WHEN 11 THEN 0.4487318678406003e0 WHEN 12 THEN 0.33953184218106924e0 WHEN 15 THEN 0.8589411040853483e0 WHEN 17 THEN 0.8452770635779285e0 WHEN 18 THEN 0.686623852722337e0 WHEN 19 THEN 0.556962928232593e0 WHEN 23 THEN 0.01650428229175018e0 WHEN 24 THEN 0.001827056004970739e0 WHEN 25 THEN 8.181929296942636e-05 WHEN 28 THEN 0.08550985346646432e0 WHEN 29 THEN 0.19094121893764168e0 WHEN 31 THEN 0.006078545707028605e0 WHEN 33 THEN 0.10238104767356077e0 WHEN 35 THEN 0.0034273055921442354e0 WHEN 36 THEN 0.045750872497305216e0 END AS "p_1"
FROM (
    SELECT t190."id", CASE
        WHEN EXISTS (SELECT 1 FROM "drivers" AS d191 WHERE d191."driverId" = t190."driverId" AND d191."dob" < t190."date" AND (SELECT AVG(r192."points") FROM "results" AS r192 WHERE r192."driverId" = d191."driverId" AND (CAST(strftime('%s', r192."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r192."date") AS INTEGER) / 86400.0)) <= 365 AND r192."points" IS NOT NULL) >= 1.271999999998728e0) THEN CASE
            WHEN EXISTS (SELECT 1 FROM "drivers" AS d193 WHERE d193."driverId" = t190."driverId" AND d193."dob" < t190."date" AND (SELECT AVG(r194."grid") FROM "results" AS r194 WHERE r194."driverId" = d193."driverId" AND (CAST(strftime('%s', r194."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r194."date") AS INTEGER) / 86400.0)) <= 365 AND r194."grid" IS NOT NULL) >= 4.833e0) THEN CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d195 WHERE d195."driverId" = t190."driverId" AND d195."dob" < t190."date" AND (SELECT AVG(q196."position") FROM "qualifying" AS q196 WHERE q196."driverId" = d195."driverId" AND (CAST(strftime('%s', q196."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', q196."date") AS INTEGER) / 86400.0)) <= 365 AND q196."position" IS NOT NULL) >= 7.304e0) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d197 WHERE d197."driverId" = t190."driverId" AND d197."dob" < t190."date" AND (SELECT v FROM (SELECT s198."points" AS v, CAST(strftime('%s', s198."date") AS INTEGER) AS o0, s198.rowid AS o1 FROM "standings" AS s198 WHERE s198."driverId" = d197."driverId" AND (CAST(strftime('%s', s198."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND s198."points" IS NOT NULL AND CAST(strftime('%s', s198."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 9.5e0) THEN CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d199 WHERE d199."driverId" = t190."driverId" AND d199."dob" < t190."date" AND (SELECT COUNT(*) FROM "results" AS r200 WHERE r200."driverId" = d199."driverId" AND (CAST(strftime('%s', r200."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5)) >= 126) THEN 5
                        ELSE 6 END
                    ELSE 7 END
                ELSE CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d201 WHERE d201."driverId" = t190."driverId" AND d201."dob" < t190."date" AND (SELECT COUNT(*) FROM "results" AS r202 WHERE r202."driverId" = d201."driverId" AND (CAST(strftime('%s', r202."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r202."date") AS INTEGER) / 86400.0)) <= 365) >= 17) THEN CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d203 WHERE d203."driverId" = t190."driverId" AND d203."dob" < t190."date" AND (SELECT v FROM (SELECT s204."wins" AS v, CAST(strftime('%s', s204."date") AS INTEGER) AS o0, s204.rowid AS o1 FROM "standings" AS s204 WHERE s204."driverId" = d203."driverId" AND (CAST(strftime('%s', s204."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND s204."wins" IS NOT NULL AND CAST(strftime('%s', s204."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) >= 1) THEN 10
                        ELSE 11 END
                    ELSE 12 END END
            ELSE CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d205 WHERE d205."driverId" = t190."driverId" AND d205."dob" < t190."date" AND (SELECT AVG(r206."points") FROM "results" AS r206 WHERE r206."driverId" = d205."driverId" AND (CAST(strftime('%s', r206."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r206."date") AS INTEGER) / 86400.0)) <= 365 AND r206."points" IS NOT NULL) >= 3.8499999999961503e0) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d207 WHERE d207."driverId" = t190."driverId" AND d207."dob" < t190."date" AND (SELECT AVG(q208."position") FROM "qualifying" AS q208 WHERE q208."driverId" = d207."driverId" AND (CAST(strftime('%s', q208."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', q208."date") AS INTEGER) / 86400.0)) <= 365 AND q208."position" IS NOT NULL) <= 2.52e0) THEN 15
                    ELSE CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d209 WHERE d209."driverId" = t190."driverId" AND d209."dob" < t190."date" AND (SELECT AVG(q210."position") FROM "qualifying" AS q210 WHERE q210."driverId" = d209."driverId" AND (CAST(strftime('%s', q210."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', q210."date") AS INTEGER) / 86400.0)) <= 365 AND q210."position" IS NOT NULL) >= 3.886e0) THEN 17
                        ELSE 18 END END
                ELSE 19 END END
        ELSE CASE
            WHEN EXISTS (SELECT 1 FROM "drivers" AS d211 WHERE d211."driverId" = t190."driverId" AND d211."dob" < t190."date" AND (SELECT AVG(r212."points") FROM "results" AS r212 WHERE r212."driverId" = d211."driverId" AND (CAST(strftime('%s', r212."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND r212."points" IS NOT NULL) <= 0.419000000000419e0) THEN CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d213 WHERE d213."driverId" = t190."driverId" AND d213."dob" < t190."date" AND (SELECT COUNT(*) FROM "results" AS r214 WHERE r214."driverId" = d213."driverId" AND (CAST(strftime('%s', r214."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r214."date") AS INTEGER) / 86400.0)) <= 365) >= 17) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d215 WHERE d215."driverId" = t190."driverId" AND d215."dob" < t190."date" AND (SELECT AVG(r216."positionOrder") FROM "results" AS r216 WHERE r216."driverId" = d215."driverId" AND (CAST(strftime('%s', r216."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND r216."positionOrder" IS NOT NULL) >= 14.2768e0) THEN 23
                    ELSE 24 END
                ELSE 25 END
            ELSE CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d217 WHERE d217."driverId" = t190."driverId" AND d217."dob" < t190."date" AND (SELECT AVG(r218."grid") FROM "results" AS r218 WHERE r218."driverId" = d217."driverId" AND (CAST(strftime('%s', r218."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r218."date") AS INTEGER) / 86400.0)) <= 365 AND r218."grid" IS NOT NULL) <= 10.22e0) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d219 WHERE d219."driverId" = t190."driverId" AND d219."dob" < t190."date" AND (SELECT AVG(r220."laps") FROM "results" AS r220 WHERE r220."driverId" = d219."driverId" AND (CAST(strftime('%s', r220."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r220."date") AS INTEGER) / 86400.0)) <= 365 AND r220."laps" IS NOT NULL) >= 47.85e0) THEN 28
                    ELSE 29 END
                ELSE CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d221 WHERE d221."driverId" = t190."driverId" AND d221."dob" < t190."date" AND (SELECT AVG(r222."points") FROM "results" AS r222 WHERE r222."driverId" = d221."driverId" AND (CAST(strftime('%s', r222."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r222."date") AS INTEGER) / 86400.0)) <= 365 AND r222."points" IS NOT NULL) <= 0.39400000000039404e0) THEN 31
                    ELSE CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d223 WHERE d223."driverId" = t190."driverId" AND d223."dob" < t190."date" AND (SELECT AVG(CASE WHEN r224."positionOrder" <= 3 THEN 1.0 ELSE 0.0 END) FROM "results" AS r224 WHERE r224."driverId" = d223."driverId" AND (CAST(strftime('%s', r224."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5)) <= 0.0429e0) THEN 33
                        ELSE CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d225 WHERE d225."driverId" = t190."driverId" AND d225."dob" < t190."date" AND (SELECT AVG(r226."positionOrder") FROM "results" AS r226 WHERE r226."driverId" = d225."driverId" AND (CAST(strftime('%s', r226."date") AS INTEGER) / 86400.0) < (julianday(t190."date") - 2440587.5) AND ((julianday(t190."date") - 2440587.5) - (CAST(strftime('%s', r226."date") AS INTEGER) / 86400.0)) <= 365 AND r226."positionOrder" IS NOT NULL) >= 10.382e0) THEN 35
                            ELSE 36 END END END END END END AS leaf
    FROM "task_driver_top3" AS t190
    WHERE t190.rowid IN (SELECT rowid FROM "task_driver_top3" WHERE (split IN ('train', 'val')
))
);
