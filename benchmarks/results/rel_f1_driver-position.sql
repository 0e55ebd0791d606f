-- What structtree has learned about position of task_driver_position.

-- Leaf 4: 9.36852
--   driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).grid <= 9.343)
--   driver (mean results.points >= 2.169)
--   driver (mean results.grid >= 5.426)
CREATE VIEW "leaf_4" AS
SELECT t1."id"
FROM "task_driver_position" AS t1
WHERE t1.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d2 WHERE d2."driverId" = t1."driverId" AND d2."dob" < date(t1."date", '-730 days') AND (SELECT AVG(r3."positionOrder") FROM "results" AS r3 WHERE r3."driverId" = d2."driverId" AND (CAST(strftime('%s', r3."date") AS INTEGER) / 86400.0) < ((julianday(t1."date") - 2440587.5) - 730) AND r3."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d4 WHERE d4."driverId" = t1."driverId" AND d4."dob" < date(t1."date", '-730 days') AND (SELECT AVG(r5."grid") FROM "results" AS r5 WHERE r5."driverId" = d4."driverId" AND (CAST(strftime('%s', r5."date") AS INTEGER) / 86400.0) < ((julianday(t1."date") - 2440587.5) - 730) AND (((julianday(t1."date") - 2440587.5) - 730) - (CAST(strftime('%s', r5."date") AS INTEGER) / 86400.0)) <= 365 AND r5."grid" IS NOT NULL) <= 9.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d6 WHERE d6."driverId" = t1."driverId" AND d6."dob" < date(t1."date", '-730 days') AND (SELECT AVG(r7."points") FROM "results" AS r7 WHERE r7."driverId" = d6."driverId" AND (CAST(strftime('%s', r7."date") AS INTEGER) / 86400.0) < ((julianday(t1."date") - 2440587.5) - 730) AND r7."points" IS NOT NULL) >= 2.168999999997831e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d8 WHERE d8."driverId" = t1."driverId" AND d8."dob" < date(t1."date", '-730 days') AND (SELECT AVG(r9."grid") FROM "results" AS r9 WHERE r9."driverId" = d8."driverId" AND (CAST(strftime('%s', r9."date") AS INTEGER) / 86400.0) < ((julianday(t1."date") - 2440587.5) - 730) AND r9."grid" IS NOT NULL) >= 5.426e0));

-- Leaf 5: 7.66786
--   driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).grid <= 9.343)
--   driver (mean results.points >= 2.169)
--   not driver (mean results.grid >= 5.426)
CREATE VIEW "leaf_5" AS
SELECT t10."id"
FROM "task_driver_position" AS t10
WHERE t10.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d11 WHERE d11."driverId" = t10."driverId" AND d11."dob" < date(t10."date", '-730 days') AND (SELECT AVG(r12."positionOrder") FROM "results" AS r12 WHERE r12."driverId" = d11."driverId" AND (CAST(strftime('%s', r12."date") AS INTEGER) / 86400.0) < ((julianday(t10."date") - 2440587.5) - 730) AND r12."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d13 WHERE d13."driverId" = t10."driverId" AND d13."dob" < date(t10."date", '-730 days') AND (SELECT AVG(r14."grid") FROM "results" AS r14 WHERE r14."driverId" = d13."driverId" AND (CAST(strftime('%s', r14."date") AS INTEGER) / 86400.0) < ((julianday(t10."date") - 2440587.5) - 730) AND (((julianday(t10."date") - 2440587.5) - 730) - (CAST(strftime('%s', r14."date") AS INTEGER) / 86400.0)) <= 365 AND r14."grid" IS NOT NULL) <= 9.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d15 WHERE d15."driverId" = t10."driverId" AND d15."dob" < date(t10."date", '-730 days') AND (SELECT AVG(r16."points") FROM "results" AS r16 WHERE r16."driverId" = d15."driverId" AND (CAST(strftime('%s', r16."date") AS INTEGER) / 86400.0) < ((julianday(t10."date") - 2440587.5) - 730) AND r16."points" IS NOT NULL) >= 2.168999999997831e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d17 WHERE d17."driverId" = t10."driverId" AND d17."dob" < date(t10."date", '-730 days') AND (SELECT AVG(r18."grid") FROM "results" AS r18 WHERE r18."driverId" = d17."driverId" AND (CAST(strftime('%s', r18."date") AS INTEGER) / 86400.0) < ((julianday(t10."date") - 2440587.5) - 730) AND r18."grid" IS NOT NULL) >= 5.426e0)) IS NOT TRUE;

-- Leaf 7: 9.49919
--   driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean results.points >= 2.169)
--   driver (mean qualifying.position <= 9.22)
CREATE VIEW "leaf_7" AS
SELECT t19."id"
FROM "task_driver_position" AS t19
WHERE t19.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d20 WHERE d20."driverId" = t19."driverId" AND d20."dob" < date(t19."date", '-730 days') AND (SELECT AVG(r21."positionOrder") FROM "results" AS r21 WHERE r21."driverId" = d20."driverId" AND (CAST(strftime('%s', r21."date") AS INTEGER) / 86400.0) < ((julianday(t19."date") - 2440587.5) - 730) AND r21."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d22 WHERE d22."driverId" = t19."driverId" AND d22."dob" < date(t19."date", '-730 days') AND (SELECT AVG(r23."grid") FROM "results" AS r23 WHERE r23."driverId" = d22."driverId" AND (CAST(strftime('%s', r23."date") AS INTEGER) / 86400.0) < ((julianday(t19."date") - 2440587.5) - 730) AND (((julianday(t19."date") - 2440587.5) - 730) - (CAST(strftime('%s', r23."date") AS INTEGER) / 86400.0)) <= 365 AND r23."grid" IS NOT NULL) <= 9.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d24 WHERE d24."driverId" = t19."driverId" AND d24."dob" < date(t19."date", '-730 days') AND (SELECT AVG(r25."points") FROM "results" AS r25 WHERE r25."driverId" = d24."driverId" AND (CAST(strftime('%s', r25."date") AS INTEGER) / 86400.0) < ((julianday(t19."date") - 2440587.5) - 730) AND r25."points" IS NOT NULL) >= 2.168999999997831e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d26 WHERE d26."driverId" = t19."driverId" AND d26."dob" < date(t19."date", '-730 days') AND (SELECT AVG(q27."position") FROM "qualifying" AS q27 WHERE q27."driverId" = d26."driverId" AND (CAST(strftime('%s', q27."date") AS INTEGER) / 86400.0) < ((julianday(t19."date") - 2440587.5) - 730) AND q27."position" IS NOT NULL) <= 9.22e0));

-- Leaf 9: 12.1293
--   driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean results.points >= 2.169)
--   not driver (mean qualifying.position <= 9.22)
--   driver (count results (top) >= 58)
CREATE VIEW "leaf_9" AS
SELECT t28."id"
FROM "task_driver_position" AS t28
WHERE t28.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d29 WHERE d29."driverId" = t28."driverId" AND d29."dob" < date(t28."date", '-730 days') AND (SELECT AVG(r30."positionOrder") FROM "results" AS r30 WHERE r30."driverId" = d29."driverId" AND (CAST(strftime('%s', r30."date") AS INTEGER) / 86400.0) < ((julianday(t28."date") - 2440587.5) - 730) AND r30."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d31 WHERE d31."driverId" = t28."driverId" AND d31."dob" < date(t28."date", '-730 days') AND (SELECT AVG(r32."grid") FROM "results" AS r32 WHERE r32."driverId" = d31."driverId" AND (CAST(strftime('%s', r32."date") AS INTEGER) / 86400.0) < ((julianday(t28."date") - 2440587.5) - 730) AND (((julianday(t28."date") - 2440587.5) - 730) - (CAST(strftime('%s', r32."date") AS INTEGER) / 86400.0)) <= 365 AND r32."grid" IS NOT NULL) <= 9.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d33 WHERE d33."driverId" = t28."driverId" AND d33."dob" < date(t28."date", '-730 days') AND (SELECT AVG(r34."points") FROM "results" AS r34 WHERE r34."driverId" = d33."driverId" AND (CAST(strftime('%s', r34."date") AS INTEGER) / 86400.0) < ((julianday(t28."date") - 2440587.5) - 730) AND r34."points" IS NOT NULL) >= 2.168999999997831e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d35 WHERE d35."driverId" = t28."driverId" AND d35."dob" < date(t28."date", '-730 days') AND (SELECT AVG(q36."position") FROM "qualifying" AS q36 WHERE q36."driverId" = d35."driverId" AND (CAST(strftime('%s', q36."date") AS INTEGER) / 86400.0) < ((julianday(t28."date") - 2440587.5) - 730) AND q36."position" IS NOT NULL) <= 9.22e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d37 WHERE d37."driverId" = t28."driverId" AND d37."dob" < date(t28."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r38 WHERE r38."driverId" = d37."driverId" AND (CAST(strftime('%s', r38."date") AS INTEGER) / 86400.0) < ((julianday(t28."date") - 2440587.5) - 730)) >= 58));

-- Leaf 11: 9.42159
--   driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean results.points >= 2.169)
--   not driver (mean qualifying.position <= 9.22)
--   not driver (count results (top) >= 58)
--   driver (mean results.points >= 1.3455)
CREATE VIEW "leaf_11" AS
SELECT t39."id"
FROM "task_driver_position" AS t39
WHERE t39.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d40 WHERE d40."driverId" = t39."driverId" AND d40."dob" < date(t39."date", '-730 days') AND (SELECT AVG(r41."positionOrder") FROM "results" AS r41 WHERE r41."driverId" = d40."driverId" AND (CAST(strftime('%s', r41."date") AS INTEGER) / 86400.0) < ((julianday(t39."date") - 2440587.5) - 730) AND r41."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d42 WHERE d42."driverId" = t39."driverId" AND d42."dob" < date(t39."date", '-730 days') AND (SELECT AVG(r43."grid") FROM "results" AS r43 WHERE r43."driverId" = d42."driverId" AND (CAST(strftime('%s', r43."date") AS INTEGER) / 86400.0) < ((julianday(t39."date") - 2440587.5) - 730) AND (((julianday(t39."date") - 2440587.5) - 730) - (CAST(strftime('%s', r43."date") AS INTEGER) / 86400.0)) <= 365 AND r43."grid" IS NOT NULL) <= 9.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d44 WHERE d44."driverId" = t39."driverId" AND d44."dob" < date(t39."date", '-730 days') AND (SELECT AVG(r45."points") FROM "results" AS r45 WHERE r45."driverId" = d44."driverId" AND (CAST(strftime('%s', r45."date") AS INTEGER) / 86400.0) < ((julianday(t39."date") - 2440587.5) - 730) AND r45."points" IS NOT NULL) >= 2.168999999997831e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d46 WHERE d46."driverId" = t39."driverId" AND d46."dob" < date(t39."date", '-730 days') AND (SELECT AVG(q47."position") FROM "qualifying" AS q47 WHERE q47."driverId" = d46."driverId" AND (CAST(strftime('%s', q47."date") AS INTEGER) / 86400.0) < ((julianday(t39."date") - 2440587.5) - 730) AND q47."position" IS NOT NULL) <= 9.22e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d48 WHERE d48."driverId" = t39."driverId" AND d48."dob" < date(t39."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r49 WHERE r49."driverId" = d48."driverId" AND (CAST(strftime('%s', r49."date") AS INTEGER) / 86400.0) < ((julianday(t39."date") - 2440587.5) - 730)) >= 58)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d50 WHERE d50."driverId" = t39."driverId" AND d50."dob" < date(t39."date", '-730 days') AND (SELECT AVG(r51."points") FROM "results" AS r51 WHERE r51."driverId" = d50."driverId" AND (CAST(strftime('%s', r51."date") AS INTEGER) / 86400.0) < ((julianday(t39."date") - 2440587.5) - 730) AND r51."points" IS NOT NULL) >= 1.3454999999986543e0));

-- Leaf 12: 11.0702
--   driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean results.points >= 2.169)
--   not driver (mean qualifying.position <= 9.22)
--   not driver (count results (top) >= 58)
--   not driver (mean results.points >= 1.3455)
CREATE VIEW "leaf_12" AS
SELECT t52."id"
FROM "task_driver_position" AS t52
WHERE t52.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d53 WHERE d53."driverId" = t52."driverId" AND d53."dob" < date(t52."date", '-730 days') AND (SELECT AVG(r54."positionOrder") FROM "results" AS r54 WHERE r54."driverId" = d53."driverId" AND (CAST(strftime('%s', r54."date") AS INTEGER) / 86400.0) < ((julianday(t52."date") - 2440587.5) - 730) AND r54."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d55 WHERE d55."driverId" = t52."driverId" AND d55."dob" < date(t52."date", '-730 days') AND (SELECT AVG(r56."grid") FROM "results" AS r56 WHERE r56."driverId" = d55."driverId" AND (CAST(strftime('%s', r56."date") AS INTEGER) / 86400.0) < ((julianday(t52."date") - 2440587.5) - 730) AND (((julianday(t52."date") - 2440587.5) - 730) - (CAST(strftime('%s', r56."date") AS INTEGER) / 86400.0)) <= 365 AND r56."grid" IS NOT NULL) <= 9.343e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d57 WHERE d57."driverId" = t52."driverId" AND d57."dob" < date(t52."date", '-730 days') AND (SELECT AVG(r58."points") FROM "results" AS r58 WHERE r58."driverId" = d57."driverId" AND (CAST(strftime('%s', r58."date") AS INTEGER) / 86400.0) < ((julianday(t52."date") - 2440587.5) - 730) AND r58."points" IS NOT NULL) >= 2.168999999997831e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d59 WHERE d59."driverId" = t52."driverId" AND d59."dob" < date(t52."date", '-730 days') AND (SELECT AVG(q60."position") FROM "qualifying" AS q60 WHERE q60."driverId" = d59."driverId" AND (CAST(strftime('%s', q60."date") AS INTEGER) / 86400.0) < ((julianday(t52."date") - 2440587.5) - 730) AND q60."position" IS NOT NULL) <= 9.22e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d61 WHERE d61."driverId" = t52."driverId" AND d61."dob" < date(t52."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r62 WHERE r62."driverId" = d61."driverId" AND (CAST(strftime('%s', r62."date") AS INTEGER) / 86400.0) < ((julianday(t52."date") - 2440587.5) - 730)) >= 58)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d63 WHERE d63."driverId" = t52."driverId" AND d63."dob" < date(t52."date", '-730 days') AND (SELECT AVG(r64."points") FROM "results" AS r64 WHERE r64."driverId" = d63."driverId" AND (CAST(strftime('%s', r64."date") AS INTEGER) / 86400.0) < ((julianday(t52."date") - 2440587.5) - 730) AND r64."points" IS NOT NULL) >= 1.3454999999986543e0)) IS NOT TRUE;

-- Leaf 14: 10.6232
--   driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).grid <= 9.343)
--   driver (mean qualifying.position <= 15.198)
CREATE VIEW "leaf_14" AS
SELECT t65."id"
FROM "task_driver_position" AS t65
WHERE t65.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d66 WHERE d66."driverId" = t65."driverId" AND d66."dob" < date(t65."date", '-730 days') AND (SELECT AVG(r67."positionOrder") FROM "results" AS r67 WHERE r67."driverId" = d66."driverId" AND (CAST(strftime('%s', r67."date") AS INTEGER) / 86400.0) < ((julianday(t65."date") - 2440587.5) - 730) AND r67."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d68 WHERE d68."driverId" = t65."driverId" AND d68."dob" < date(t65."date", '-730 days') AND (SELECT AVG(r69."grid") FROM "results" AS r69 WHERE r69."driverId" = d68."driverId" AND (CAST(strftime('%s', r69."date") AS INTEGER) / 86400.0) < ((julianday(t65."date") - 2440587.5) - 730) AND (((julianday(t65."date") - 2440587.5) - 730) - (CAST(strftime('%s', r69."date") AS INTEGER) / 86400.0)) <= 365 AND r69."grid" IS NOT NULL) <= 9.343e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d70 WHERE d70."driverId" = t65."driverId" AND d70."dob" < date(t65."date", '-730 days') AND (SELECT AVG(q71."position") FROM "qualifying" AS q71 WHERE q71."driverId" = d70."driverId" AND (CAST(strftime('%s', q71."date") AS INTEGER) / 86400.0) < ((julianday(t65."date") - 2440587.5) - 730) AND q71."position" IS NOT NULL) <= 15.198e0));

-- Leaf 18: 12.1341
--   driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean qualifying.position <= 15.198)
--   driver (mean results.grid >= 11.94)
--   driver (count results (top) >= 4)
--   driver (mean results.laps >= 47.07)
CREATE VIEW "leaf_18" AS
SELECT t72."id"
FROM "task_driver_position" AS t72
WHERE t72.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d73 WHERE d73."driverId" = t72."driverId" AND d73."dob" < date(t72."date", '-730 days') AND (SELECT AVG(r74."positionOrder") FROM "results" AS r74 WHERE r74."driverId" = d73."driverId" AND (CAST(strftime('%s', r74."date") AS INTEGER) / 86400.0) < ((julianday(t72."date") - 2440587.5) - 730) AND r74."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d75 WHERE d75."driverId" = t72."driverId" AND d75."dob" < date(t72."date", '-730 days') AND (SELECT AVG(r76."grid") FROM "results" AS r76 WHERE r76."driverId" = d75."driverId" AND (CAST(strftime('%s', r76."date") AS INTEGER) / 86400.0) < ((julianday(t72."date") - 2440587.5) - 730) AND (((julianday(t72."date") - 2440587.5) - 730) - (CAST(strftime('%s', r76."date") AS INTEGER) / 86400.0)) <= 365 AND r76."grid" IS NOT NULL) <= 9.343e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d77 WHERE d77."driverId" = t72."driverId" AND d77."dob" < date(t72."date", '-730 days') AND (SELECT AVG(q78."position") FROM "qualifying" AS q78 WHERE q78."driverId" = d77."driverId" AND (CAST(strftime('%s', q78."date") AS INTEGER) / 86400.0) < ((julianday(t72."date") - 2440587.5) - 730) AND q78."position" IS NOT NULL) <= 15.198e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d79 WHERE d79."driverId" = t72."driverId" AND d79."dob" < date(t72."date", '-730 days') AND (SELECT AVG(r80."grid") FROM "results" AS r80 WHERE r80."driverId" = d79."driverId" AND (CAST(strftime('%s', r80."date") AS INTEGER) / 86400.0) < ((julianday(t72."date") - 2440587.5) - 730) AND r80."grid" IS NOT NULL) >= 11.94e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d81 WHERE d81."driverId" = t72."driverId" AND d81."dob" < date(t72."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r82 WHERE r82."driverId" = d81."driverId" AND (CAST(strftime('%s', r82."date") AS INTEGER) / 86400.0) < ((julianday(t72."date") - 2440587.5) - 730)) >= 4))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d83 WHERE d83."driverId" = t72."driverId" AND d83."dob" < date(t72."date", '-730 days') AND (SELECT AVG(r84."laps") FROM "results" AS r84 WHERE r84."driverId" = d83."driverId" AND (CAST(strftime('%s', r84."date") AS INTEGER) / 86400.0) < ((julianday(t72."date") - 2440587.5) - 730) AND r84."laps" IS NOT NULL) >= 47.07e0));

-- Leaf 19: 13.6422
--   driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean qualifying.position <= 15.198)
--   driver (mean results.grid >= 11.94)
--   driver (count results (top) >= 4)
--   not driver (mean results.laps >= 47.07)
CREATE VIEW "leaf_19" AS
SELECT t85."id"
FROM "task_driver_position" AS t85
WHERE t85.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d86 WHERE d86."driverId" = t85."driverId" AND d86."dob" < date(t85."date", '-730 days') AND (SELECT AVG(r87."positionOrder") FROM "results" AS r87 WHERE r87."driverId" = d86."driverId" AND (CAST(strftime('%s', r87."date") AS INTEGER) / 86400.0) < ((julianday(t85."date") - 2440587.5) - 730) AND r87."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d88 WHERE d88."driverId" = t85."driverId" AND d88."dob" < date(t85."date", '-730 days') AND (SELECT AVG(r89."grid") FROM "results" AS r89 WHERE r89."driverId" = d88."driverId" AND (CAST(strftime('%s', r89."date") AS INTEGER) / 86400.0) < ((julianday(t85."date") - 2440587.5) - 730) AND (((julianday(t85."date") - 2440587.5) - 730) - (CAST(strftime('%s', r89."date") AS INTEGER) / 86400.0)) <= 365 AND r89."grid" IS NOT NULL) <= 9.343e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d90 WHERE d90."driverId" = t85."driverId" AND d90."dob" < date(t85."date", '-730 days') AND (SELECT AVG(q91."position") FROM "qualifying" AS q91 WHERE q91."driverId" = d90."driverId" AND (CAST(strftime('%s', q91."date") AS INTEGER) / 86400.0) < ((julianday(t85."date") - 2440587.5) - 730) AND q91."position" IS NOT NULL) <= 15.198e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d92 WHERE d92."driverId" = t85."driverId" AND d92."dob" < date(t85."date", '-730 days') AND (SELECT AVG(r93."grid") FROM "results" AS r93 WHERE r93."driverId" = d92."driverId" AND (CAST(strftime('%s', r93."date") AS INTEGER) / 86400.0) < ((julianday(t85."date") - 2440587.5) - 730) AND r93."grid" IS NOT NULL) >= 11.94e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d94 WHERE d94."driverId" = t85."driverId" AND d94."dob" < date(t85."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r95 WHERE r95."driverId" = d94."driverId" AND (CAST(strftime('%s', r95."date") AS INTEGER) / 86400.0) < ((julianday(t85."date") - 2440587.5) - 730)) >= 4))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d96 WHERE d96."driverId" = t85."driverId" AND d96."dob" < date(t85."date", '-730 days') AND (SELECT AVG(r97."laps") FROM "results" AS r97 WHERE r97."driverId" = d96."driverId" AND (CAST(strftime('%s', r97."date") AS INTEGER) / 86400.0) < ((julianday(t85."date") - 2440587.5) - 730) AND r97."laps" IS NOT NULL) >= 47.07e0)) IS NOT TRUE;

-- Leaf 20: 14.7012
--   driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean qualifying.position <= 15.198)
--   driver (mean results.grid >= 11.94)
--   not driver (count results (top) >= 4)
CREATE VIEW "leaf_20" AS
SELECT t98."id"
FROM "task_driver_position" AS t98
WHERE t98.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d99 WHERE d99."driverId" = t98."driverId" AND d99."dob" < date(t98."date", '-730 days') AND (SELECT AVG(r100."positionOrder") FROM "results" AS r100 WHERE r100."driverId" = d99."driverId" AND (CAST(strftime('%s', r100."date") AS INTEGER) / 86400.0) < ((julianday(t98."date") - 2440587.5) - 730) AND r100."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d101 WHERE d101."driverId" = t98."driverId" AND d101."dob" < date(t98."date", '-730 days') AND (SELECT AVG(r102."grid") FROM "results" AS r102 WHERE r102."driverId" = d101."driverId" AND (CAST(strftime('%s', r102."date") AS INTEGER) / 86400.0) < ((julianday(t98."date") - 2440587.5) - 730) AND (((julianday(t98."date") - 2440587.5) - 730) - (CAST(strftime('%s', r102."date") AS INTEGER) / 86400.0)) <= 365 AND r102."grid" IS NOT NULL) <= 9.343e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d103 WHERE d103."driverId" = t98."driverId" AND d103."dob" < date(t98."date", '-730 days') AND (SELECT AVG(q104."position") FROM "qualifying" AS q104 WHERE q104."driverId" = d103."driverId" AND (CAST(strftime('%s', q104."date") AS INTEGER) / 86400.0) < ((julianday(t98."date") - 2440587.5) - 730) AND q104."position" IS NOT NULL) <= 15.198e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d105 WHERE d105."driverId" = t98."driverId" AND d105."dob" < date(t98."date", '-730 days') AND (SELECT AVG(r106."grid") FROM "results" AS r106 WHERE r106."driverId" = d105."driverId" AND (CAST(strftime('%s', r106."date") AS INTEGER) / 86400.0) < ((julianday(t98."date") - 2440587.5) - 730) AND r106."grid" IS NOT NULL) >= 11.94e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d107 WHERE d107."driverId" = t98."driverId" AND d107."dob" < date(t98."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r108 WHERE r108."driverId" = d107."driverId" AND (CAST(strftime('%s', r108."date") AS INTEGER) / 86400.0) < ((julianday(t98."date") - 2440587.5) - 730)) >= 4)) IS NOT TRUE;

-- Leaf 22: 13.0576
--   driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean qualifying.position <= 15.198)
--   not driver (mean results.grid >= 11.94)
--   driver (count results (top) >= 47)
CREATE VIEW "leaf_22" AS
SELECT t109."id"
FROM "task_driver_position" AS t109
WHERE t109.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d110 WHERE d110."driverId" = t109."driverId" AND d110."dob" < date(t109."date", '-730 days') AND (SELECT AVG(r111."positionOrder") FROM "results" AS r111 WHERE r111."driverId" = d110."driverId" AND (CAST(strftime('%s', r111."date") AS INTEGER) / 86400.0) < ((julianday(t109."date") - 2440587.5) - 730) AND r111."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d112 WHERE d112."driverId" = t109."driverId" AND d112."dob" < date(t109."date", '-730 days') AND (SELECT AVG(r113."grid") FROM "results" AS r113 WHERE r113."driverId" = d112."driverId" AND (CAST(strftime('%s', r113."date") AS INTEGER) / 86400.0) < ((julianday(t109."date") - 2440587.5) - 730) AND (((julianday(t109."date") - 2440587.5) - 730) - (CAST(strftime('%s', r113."date") AS INTEGER) / 86400.0)) <= 365 AND r113."grid" IS NOT NULL) <= 9.343e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d114 WHERE d114."driverId" = t109."driverId" AND d114."dob" < date(t109."date", '-730 days') AND (SELECT AVG(q115."position") FROM "qualifying" AS q115 WHERE q115."driverId" = d114."driverId" AND (CAST(strftime('%s', q115."date") AS INTEGER) / 86400.0) < ((julianday(t109."date") - 2440587.5) - 730) AND q115."position" IS NOT NULL) <= 15.198e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d116 WHERE d116."driverId" = t109."driverId" AND d116."dob" < date(t109."date", '-730 days') AND (SELECT AVG(r117."grid") FROM "results" AS r117 WHERE r117."driverId" = d116."driverId" AND (CAST(strftime('%s', r117."date") AS INTEGER) / 86400.0) < ((julianday(t109."date") - 2440587.5) - 730) AND r117."grid" IS NOT NULL) >= 11.94e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d118 WHERE d118."driverId" = t109."driverId" AND d118."dob" < date(t109."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r119 WHERE r119."driverId" = d118."driverId" AND (CAST(strftime('%s', r119."date") AS INTEGER) / 86400.0) < ((julianday(t109."date") - 2440587.5) - 730)) >= 47));

-- Leaf 23: 10.8311
--   driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).grid <= 9.343)
--   not driver (mean qualifying.position <= 15.198)
--   not driver (mean results.grid >= 11.94)
--   not driver (count results (top) >= 47)
CREATE VIEW "leaf_23" AS
SELECT t120."id"
FROM "task_driver_position" AS t120
WHERE t120.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d121 WHERE d121."driverId" = t120."driverId" AND d121."dob" < date(t120."date", '-730 days') AND (SELECT AVG(r122."positionOrder") FROM "results" AS r122 WHERE r122."driverId" = d121."driverId" AND (CAST(strftime('%s', r122."date") AS INTEGER) / 86400.0) < ((julianday(t120."date") - 2440587.5) - 730) AND r122."positionOrder" IS NOT NULL) <= 14.6907e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d123 WHERE d123."driverId" = t120."driverId" AND d123."dob" < date(t120."date", '-730 days') AND (SELECT AVG(r124."grid") FROM "results" AS r124 WHERE r124."driverId" = d123."driverId" AND (CAST(strftime('%s', r124."date") AS INTEGER) / 86400.0) < ((julianday(t120."date") - 2440587.5) - 730) AND (((julianday(t120."date") - 2440587.5) - 730) - (CAST(strftime('%s', r124."date") AS INTEGER) / 86400.0)) <= 365 AND r124."grid" IS NOT NULL) <= 9.343e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d125 WHERE d125."driverId" = t120."driverId" AND d125."dob" < date(t120."date", '-730 days') AND (SELECT AVG(q126."position") FROM "qualifying" AS q126 WHERE q126."driverId" = d125."driverId" AND (CAST(strftime('%s', q126."date") AS INTEGER) / 86400.0) < ((julianday(t120."date") - 2440587.5) - 730) AND q126."position" IS NOT NULL) <= 15.198e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d127 WHERE d127."driverId" = t120."driverId" AND d127."dob" < date(t120."date", '-730 days') AND (SELECT AVG(r128."grid") FROM "results" AS r128 WHERE r128."driverId" = d127."driverId" AND (CAST(strftime('%s', r128."date") AS INTEGER) / 86400.0) < ((julianday(t120."date") - 2440587.5) - 730) AND r128."grid" IS NOT NULL) >= 11.94e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d129 WHERE d129."driverId" = t120."driverId" AND d129."dob" < date(t120."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r130 WHERE r130."driverId" = d129."driverId" AND (CAST(strftime('%s', r130."date") AS INTEGER) / 86400.0) < ((julianday(t120."date") - 2440587.5) - 730)) >= 47)) IS NOT TRUE;

-- Leaf 27: 15.7045
--   not driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).positionOrder <= 19.134)
--   driver (mean results.positionOrder >= 15.843)
--   driver (count results (days_before <= 365.0) >= 14)
CREATE VIEW "leaf_27" AS
SELECT t131."id"
FROM "task_driver_position" AS t131
WHERE t131.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d132 WHERE d132."driverId" = t131."driverId" AND d132."dob" < date(t131."date", '-730 days') AND (SELECT AVG(r133."positionOrder") FROM "results" AS r133 WHERE r133."driverId" = d132."driverId" AND (CAST(strftime('%s', r133."date") AS INTEGER) / 86400.0) < ((julianday(t131."date") - 2440587.5) - 730) AND r133."positionOrder" IS NOT NULL) <= 14.6907e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d134 WHERE d134."driverId" = t131."driverId" AND d134."dob" < date(t131."date", '-730 days') AND (SELECT AVG(r135."positionOrder") FROM "results" AS r135 WHERE r135."driverId" = d134."driverId" AND (CAST(strftime('%s', r135."date") AS INTEGER) / 86400.0) < ((julianday(t131."date") - 2440587.5) - 730) AND (((julianday(t131."date") - 2440587.5) - 730) - (CAST(strftime('%s', r135."date") AS INTEGER) / 86400.0)) <= 365 AND r135."positionOrder" IS NOT NULL) <= 19.134e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d136 WHERE d136."driverId" = t131."driverId" AND d136."dob" < date(t131."date", '-730 days') AND (SELECT AVG(r137."positionOrder") FROM "results" AS r137 WHERE r137."driverId" = d136."driverId" AND (CAST(strftime('%s', r137."date") AS INTEGER) / 86400.0) < ((julianday(t131."date") - 2440587.5) - 730) AND r137."positionOrder" IS NOT NULL) >= 15.843e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d138 WHERE d138."driverId" = t131."driverId" AND d138."dob" < date(t131."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r139 WHERE r139."driverId" = d138."driverId" AND (CAST(strftime('%s', r139."date") AS INTEGER) / 86400.0) < ((julianday(t131."date") - 2440587.5) - 730) AND (((julianday(t131."date") - 2440587.5) - 730) - (CAST(strftime('%s', r139."date") AS INTEGER) / 86400.0)) <= 365) >= 14));

-- Leaf 28: 14.2932
--   not driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).positionOrder <= 19.134)
--   driver (mean results.positionOrder >= 15.843)
--   not driver (count results (days_before <= 365.0) >= 14)
CREATE VIEW "leaf_28" AS
SELECT t140."id"
FROM "task_driver_position" AS t140
WHERE t140.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d141 WHERE d141."driverId" = t140."driverId" AND d141."dob" < date(t140."date", '-730 days') AND (SELECT AVG(r142."positionOrder") FROM "results" AS r142 WHERE r142."driverId" = d141."driverId" AND (CAST(strftime('%s', r142."date") AS INTEGER) / 86400.0) < ((julianday(t140."date") - 2440587.5) - 730) AND r142."positionOrder" IS NOT NULL) <= 14.6907e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d143 WHERE d143."driverId" = t140."driverId" AND d143."dob" < date(t140."date", '-730 days') AND (SELECT AVG(r144."positionOrder") FROM "results" AS r144 WHERE r144."driverId" = d143."driverId" AND (CAST(strftime('%s', r144."date") AS INTEGER) / 86400.0) < ((julianday(t140."date") - 2440587.5) - 730) AND (((julianday(t140."date") - 2440587.5) - 730) - (CAST(strftime('%s', r144."date") AS INTEGER) / 86400.0)) <= 365 AND r144."positionOrder" IS NOT NULL) <= 19.134e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d145 WHERE d145."driverId" = t140."driverId" AND d145."dob" < date(t140."date", '-730 days') AND (SELECT AVG(r146."positionOrder") FROM "results" AS r146 WHERE r146."driverId" = d145."driverId" AND (CAST(strftime('%s', r146."date") AS INTEGER) / 86400.0) < ((julianday(t140."date") - 2440587.5) - 730) AND r146."positionOrder" IS NOT NULL) >= 15.843e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d147 WHERE d147."driverId" = t140."driverId" AND d147."dob" < date(t140."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r148 WHERE r148."driverId" = d147."driverId" AND (CAST(strftime('%s', r148."date") AS INTEGER) / 86400.0) < ((julianday(t140."date") - 2440587.5) - 730) AND (((julianday(t140."date") - 2440587.5) - 730) - (CAST(strftime('%s', r148."date") AS INTEGER) / 86400.0)) <= 365) >= 14)) IS NOT TRUE;

-- Leaf 29: 13.2417
--   not driver (mean results.positionOrder <= 14.6907)
--   driver (mean results (days_before <= 365.0).positionOrder <= 19.134)
--   not driver (mean results.positionOrder >= 15.843)
CREATE VIEW "leaf_29" AS
SELECT t149."id"
FROM "task_driver_position" AS t149
WHERE t149.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d150 WHERE d150."driverId" = t149."driverId" AND d150."dob" < date(t149."date", '-730 days') AND (SELECT AVG(r151."positionOrder") FROM "results" AS r151 WHERE r151."driverId" = d150."driverId" AND (CAST(strftime('%s', r151."date") AS INTEGER) / 86400.0) < ((julianday(t149."date") - 2440587.5) - 730) AND r151."positionOrder" IS NOT NULL) <= 14.6907e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d152 WHERE d152."driverId" = t149."driverId" AND d152."dob" < date(t149."date", '-730 days') AND (SELECT AVG(r153."positionOrder") FROM "results" AS r153 WHERE r153."driverId" = d152."driverId" AND (CAST(strftime('%s', r153."date") AS INTEGER) / 86400.0) < ((julianday(t149."date") - 2440587.5) - 730) AND (((julianday(t149."date") - 2440587.5) - 730) - (CAST(strftime('%s', r153."date") AS INTEGER) / 86400.0)) <= 365 AND r153."positionOrder" IS NOT NULL) <= 19.134e0))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d154 WHERE d154."driverId" = t149."driverId" AND d154."dob" < date(t149."date", '-730 days') AND (SELECT AVG(r155."positionOrder") FROM "results" AS r155 WHERE r155."driverId" = d154."driverId" AND (CAST(strftime('%s', r155."date") AS INTEGER) / 86400.0) < ((julianday(t149."date") - 2440587.5) - 730) AND r155."positionOrder" IS NOT NULL) >= 15.843e0)) IS NOT TRUE;

-- Leaf 32: 17.3626
--   not driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).positionOrder <= 19.134)
--   driver (latest standings.position by date <= 65)
--   driver (min results (days_before <= 365.0).positionOrder <= 20.5)
CREATE VIEW "leaf_32" AS
SELECT t156."id"
FROM "task_driver_position" AS t156
WHERE t156.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d157 WHERE d157."driverId" = t156."driverId" AND d157."dob" < date(t156."date", '-730 days') AND (SELECT AVG(r158."positionOrder") FROM "results" AS r158 WHERE r158."driverId" = d157."driverId" AND (CAST(strftime('%s', r158."date") AS INTEGER) / 86400.0) < ((julianday(t156."date") - 2440587.5) - 730) AND r158."positionOrder" IS NOT NULL) <= 14.6907e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d159 WHERE d159."driverId" = t156."driverId" AND d159."dob" < date(t156."date", '-730 days') AND (SELECT AVG(r160."positionOrder") FROM "results" AS r160 WHERE r160."driverId" = d159."driverId" AND (CAST(strftime('%s', r160."date") AS INTEGER) / 86400.0) < ((julianday(t156."date") - 2440587.5) - 730) AND (((julianday(t156."date") - 2440587.5) - 730) - (CAST(strftime('%s', r160."date") AS INTEGER) / 86400.0)) <= 365 AND r160."positionOrder" IS NOT NULL) <= 19.134e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d161 WHERE d161."driverId" = t156."driverId" AND d161."dob" < date(t156."date", '-730 days') AND (SELECT v FROM (SELECT s162."position" AS v, CAST(strftime('%s', s162."date") AS INTEGER) AS o0, s162.rowid AS o1 FROM "standings" AS s162 WHERE s162."driverId" = d161."driverId" AND (CAST(strftime('%s', s162."date") AS INTEGER) / 86400.0) < ((julianday(t156."date") - 2440587.5) - 730) AND s162."position" IS NOT NULL AND CAST(strftime('%s', s162."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) <= 65))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d163 WHERE d163."driverId" = t156."driverId" AND d163."dob" < date(t156."date", '-730 days') AND (SELECT MIN(r164."positionOrder") FROM "results" AS r164 WHERE r164."driverId" = d163."driverId" AND (CAST(strftime('%s', r164."date") AS INTEGER) / 86400.0) < ((julianday(t156."date") - 2440587.5) - 730) AND (((julianday(t156."date") - 2440587.5) - 730) - (CAST(strftime('%s', r164."date") AS INTEGER) / 86400.0)) <= 365 AND r164."positionOrder" IS NOT NULL) <= 20.5e0));

-- Leaf 33: 18.5325
--   not driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).positionOrder <= 19.134)
--   driver (latest standings.position by date <= 65)
--   not driver (min results (days_before <= 365.0).positionOrder <= 20.5)
CREATE VIEW "leaf_33" AS
SELECT t165."id"
FROM "task_driver_position" AS t165
WHERE t165.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d166 WHERE d166."driverId" = t165."driverId" AND d166."dob" < date(t165."date", '-730 days') AND (SELECT AVG(r167."positionOrder") FROM "results" AS r167 WHERE r167."driverId" = d166."driverId" AND (CAST(strftime('%s', r167."date") AS INTEGER) / 86400.0) < ((julianday(t165."date") - 2440587.5) - 730) AND r167."positionOrder" IS NOT NULL) <= 14.6907e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d168 WHERE d168."driverId" = t165."driverId" AND d168."dob" < date(t165."date", '-730 days') AND (SELECT AVG(r169."positionOrder") FROM "results" AS r169 WHERE r169."driverId" = d168."driverId" AND (CAST(strftime('%s', r169."date") AS INTEGER) / 86400.0) < ((julianday(t165."date") - 2440587.5) - 730) AND (((julianday(t165."date") - 2440587.5) - 730) - (CAST(strftime('%s', r169."date") AS INTEGER) / 86400.0)) <= 365 AND r169."positionOrder" IS NOT NULL) <= 19.134e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d170 WHERE d170."driverId" = t165."driverId" AND d170."dob" < date(t165."date", '-730 days') AND (SELECT v FROM (SELECT s171."position" AS v, CAST(strftime('%s', s171."date") AS INTEGER) AS o0, s171.rowid AS o1 FROM "standings" AS s171 WHERE s171."driverId" = d170."driverId" AND (CAST(strftime('%s', s171."date") AS INTEGER) / 86400.0) < ((julianday(t165."date") - 2440587.5) - 730) AND s171."position" IS NOT NULL AND CAST(strftime('%s', s171."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) <= 65))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d172 WHERE d172."driverId" = t165."driverId" AND d172."dob" < date(t165."date", '-730 days') AND (SELECT MIN(r173."positionOrder") FROM "results" AS r173 WHERE r173."driverId" = d172."driverId" AND (CAST(strftime('%s', r173."date") AS INTEGER) / 86400.0) < ((julianday(t165."date") - 2440587.5) - 730) AND (((julianday(t165."date") - 2440587.5) - 730) - (CAST(strftime('%s', r173."date") AS INTEGER) / 86400.0)) <= 365 AND r173."positionOrder" IS NOT NULL) <= 20.5e0)) IS NOT TRUE;

-- Leaf 34: 15.5903
--   not driver (mean results.positionOrder <= 14.6907)
--   not driver (mean results (days_before <= 365.0).positionOrder <= 19.134)
--   not driver (latest standings.position by date <= 65)
CREATE VIEW "leaf_34" AS
SELECT t174."id"
FROM "task_driver_position" AS t174
WHERE t174.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
    AND (EXISTS (SELECT 1 FROM "drivers" AS d175 WHERE d175."driverId" = t174."driverId" AND d175."dob" < date(t174."date", '-730 days') AND (SELECT AVG(r176."positionOrder") FROM "results" AS r176 WHERE r176."driverId" = d175."driverId" AND (CAST(strftime('%s', r176."date") AS INTEGER) / 86400.0) < ((julianday(t174."date") - 2440587.5) - 730) AND r176."positionOrder" IS NOT NULL) <= 14.6907e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d177 WHERE d177."driverId" = t174."driverId" AND d177."dob" < date(t174."date", '-730 days') AND (SELECT AVG(r178."positionOrder") FROM "results" AS r178 WHERE r178."driverId" = d177."driverId" AND (CAST(strftime('%s', r178."date") AS INTEGER) / 86400.0) < ((julianday(t174."date") - 2440587.5) - 730) AND (((julianday(t174."date") - 2440587.5) - 730) - (CAST(strftime('%s', r178."date") AS INTEGER) / 86400.0)) <= 365 AND r178."positionOrder" IS NOT NULL) <= 19.134e0)) IS NOT TRUE
    AND (EXISTS (SELECT 1 FROM "drivers" AS d179 WHERE d179."driverId" = t174."driverId" AND d179."dob" < date(t174."date", '-730 days') AND (SELECT v FROM (SELECT s180."position" AS v, CAST(strftime('%s', s180."date") AS INTEGER) AS o0, s180.rowid AS o1 FROM "standings" AS s180 WHERE s180."driverId" = d179."driverId" AND (CAST(strftime('%s', s180."date") AS INTEGER) / 86400.0) < ((julianday(t174."date") - 2440587.5) - 730) AND s180."position" IS NOT NULL AND CAST(strftime('%s', s180."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) <= 65)) IS NOT TRUE;

CREATE VIEW "prediction" AS
SELECT "id", leaf,
    CASE leaf WHEN 4 THEN 9.368524251805969e0 WHEN 5 THEN 7.667857142857126e0 WHEN 7 THEN 9.49918518518517e0 WHEN 9 THEN 12.129310344827582e0 WHEN 11 THEN 9.421592775041038e0 WHEN 12 THEN 11.070151515151501e0 WHEN 14 THEN 10.62320819112627e0 WHEN 18 THEN 12.13411016949152e0 WHEN 19 THEN 13.642248062015504e0 WHEN 20 THEN 14.701179245283019e0 WHEN 22 THEN 13.057589984350548e0 WHEN 23 THEN 10.831148564294617e0 WHEN 27 THEN 15.704523809523801e0 WHEN 28 THEN 14.29317548746518e0 WHEN 29 THEN 13.24174553101998e0 WHEN 32 THEN 17.362624113475167e0 WHEN 33 THEN 18.532456140350863e0 WHEN 34 THEN 15.590256254431246e0 END AS "prediction"
FROM (
    SELECT t181."id", CASE
        WHEN EXISTS (SELECT 1 FROM "drivers" AS d182 WHERE d182."driverId" = t181."driverId" AND d182."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r183."positionOrder") FROM "results" AS r183 WHERE r183."driverId" = d182."driverId" AND (CAST(strftime('%s', r183."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND r183."positionOrder" IS NOT NULL) <= 14.6907e0) THEN CASE
            WHEN EXISTS (SELECT 1 FROM "drivers" AS d184 WHERE d184."driverId" = t181."driverId" AND d184."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r185."grid") FROM "results" AS r185 WHERE r185."driverId" = d184."driverId" AND (CAST(strftime('%s', r185."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND (((julianday(t181."date") - 2440587.5) - 730) - (CAST(strftime('%s', r185."date") AS INTEGER) / 86400.0)) <= 365 AND r185."grid" IS NOT NULL) <= 9.343e0) THEN CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d186 WHERE d186."driverId" = t181."driverId" AND d186."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r187."points") FROM "results" AS r187 WHERE r187."driverId" = d186."driverId" AND (CAST(strftime('%s', r187."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND r187."points" IS NOT NULL) >= 2.168999999997831e0) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d188 WHERE d188."driverId" = t181."driverId" AND d188."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r189."grid") FROM "results" AS r189 WHERE r189."driverId" = d188."driverId" AND (CAST(strftime('%s', r189."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND r189."grid" IS NOT NULL) >= 5.426e0) THEN 4
                    ELSE 5 END
                ELSE CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d190 WHERE d190."driverId" = t181."driverId" AND d190."dob" < date(t181."date", '-730 days') AND (SELECT AVG(q191."position") FROM "qualifying" AS q191 WHERE q191."driverId" = d190."driverId" AND (CAST(strftime('%s', q191."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND q191."position" IS NOT NULL) <= 9.22e0) THEN 7
                    ELSE CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d192 WHERE d192."driverId" = t181."driverId" AND d192."dob" < date(t181."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r193 WHERE r193."driverId" = d192."driverId" AND (CAST(strftime('%s', r193."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730)) >= 58) THEN 9
                        ELSE CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d194 WHERE d194."driverId" = t181."driverId" AND d194."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r195."points") FROM "results" AS r195 WHERE r195."driverId" = d194."driverId" AND (CAST(strftime('%s', r195."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND r195."points" IS NOT NULL) >= 1.3454999999986543e0) THEN 11
                            ELSE 12 END END END END
            ELSE CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d196 WHERE d196."driverId" = t181."driverId" AND d196."dob" < date(t181."date", '-730 days') AND (SELECT AVG(q197."position") FROM "qualifying" AS q197 WHERE q197."driverId" = d196."driverId" AND (CAST(strftime('%s', q197."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND q197."position" IS NOT NULL) <= 15.198e0) THEN 14
                ELSE CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d198 WHERE d198."driverId" = t181."driverId" AND d198."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r199."grid") FROM "results" AS r199 WHERE r199."driverId" = d198."driverId" AND (CAST(strftime('%s', r199."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND r199."grid" IS NOT NULL) >= 11.94e0) THEN CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d200 WHERE d200."driverId" = t181."driverId" AND d200."dob" < date(t181."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r201 WHERE r201."driverId" = d200."driverId" AND (CAST(strftime('%s', r201."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730)) >= 4) THEN CASE
                            WHEN EXISTS (SELECT 1 FROM "drivers" AS d202 WHERE d202."driverId" = t181."driverId" AND d202."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r203."laps") FROM "results" AS r203 WHERE r203."driverId" = d202."driverId" AND (CAST(strftime('%s', r203."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND r203."laps" IS NOT NULL) >= 47.07e0) THEN 18
                            ELSE 19 END
                        ELSE 20 END
                    ELSE CASE
                        WHEN EXISTS (SELECT 1 FROM "drivers" AS d204 WHERE d204."driverId" = t181."driverId" AND d204."dob" < date(t181."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r205 WHERE r205."driverId" = d204."driverId" AND (CAST(strftime('%s', r205."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730)) >= 47) THEN 22
                        ELSE 23 END END END END
        ELSE CASE
            WHEN EXISTS (SELECT 1 FROM "drivers" AS d206 WHERE d206."driverId" = t181."driverId" AND d206."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r207."positionOrder") FROM "results" AS r207 WHERE r207."driverId" = d206."driverId" AND (CAST(strftime('%s', r207."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND (((julianday(t181."date") - 2440587.5) - 730) - (CAST(strftime('%s', r207."date") AS INTEGER) / 86400.0)) <= 365 AND r207."positionOrder" IS NOT NULL) <= 19.134e0) THEN CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d208 WHERE d208."driverId" = t181."driverId" AND d208."dob" < date(t181."date", '-730 days') AND (SELECT AVG(r209."positionOrder") FROM "results" AS r209 WHERE r209."driverId" = d208."driverId" AND (CAST(strftime('%s', r209."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND r209."positionOrder" IS NOT NULL) >= 15.843e0) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d210 WHERE d210."driverId" = t181."driverId" AND d210."dob" < date(t181."date", '-730 days') AND (SELECT COUNT(*) FROM "results" AS r211 WHERE r211."driverId" = d210."driverId" AND (CAST(strftime('%s', r211."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND (((julianday(t181."date") - 2440587.5) - 730) - (CAST(strftime('%s', r211."date") AS INTEGER) / 86400.0)) <= 365) >= 14) THEN 27
                    ELSE 28 END
                ELSE 29 END
            ELSE CASE
                WHEN EXISTS (SELECT 1 FROM "drivers" AS d212 WHERE d212."driverId" = t181."driverId" AND d212."dob" < date(t181."date", '-730 days') AND (SELECT v FROM (SELECT s213."position" AS v, CAST(strftime('%s', s213."date") AS INTEGER) AS o0, s213.rowid AS o1 FROM "standings" AS s213 WHERE s213."driverId" = d212."driverId" AND (CAST(strftime('%s', s213."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND s213."position" IS NOT NULL AND CAST(strftime('%s', s213."date") AS INTEGER) IS NOT NULL) ORDER BY o0 DESC, o1 DESC LIMIT 1) <= 65) THEN CASE
                    WHEN EXISTS (SELECT 1 FROM "drivers" AS d214 WHERE d214."driverId" = t181."driverId" AND d214."dob" < date(t181."date", '-730 days') AND (SELECT MIN(r215."positionOrder") FROM "results" AS r215 WHERE r215."driverId" = d214."driverId" AND (CAST(strftime('%s', r215."date") AS INTEGER) / 86400.0) < ((julianday(t181."date") - 2440587.5) - 730) AND (((julianday(t181."date") - 2440587.5) - 730) - (CAST(strftime('%s', r215."date") AS INTEGER) / 86400.0)) <= 365 AND r215."positionOrder" IS NOT NULL) <= 20.5e0) THEN 32
                    ELSE 33 END
                ELSE 34 END END END AS leaf
    FROM "task_driver_position" AS t181
    WHERE t181.rowid IN (SELECT rowid FROM "task_driver_position" WHERE (split IN ('train', 'val')
))
);
