eastbound(t4). eastbound(t5). eastbound(t6).
