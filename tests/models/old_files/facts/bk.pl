has_car(t1, c11). has_car(t1, c12). has_car(t2, c21). has_car(t2, c22). has_car(t3, c31).
has_car(t4, c41). has_car(t4, c42). has_car(t5, c51). has_car(t6, c61). has_car(t6, c62).
short(c11). short(c21). short(c31). short(c42). short(c51).
wheels(c11, 2). wheels(c12, 3). wheels(c21, 2). wheels(c22, 2). wheels(c31, 3).
wheels(c41, 2). wheels(c42, 2). wheels(c51, 2). wheels(c61, 3). wheels(c62, 2).
