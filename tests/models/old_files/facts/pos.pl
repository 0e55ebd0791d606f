eastbound(t1). eastbound(t2). eastbound(t3).
