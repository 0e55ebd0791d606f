"""Kernels compiled by numba.

Each kernel equals a plain-Python twin in the tests: counting in ``tests/search/twins.py``, losses in
``tests/search/reference.py``; the twin of dividing tables is the general search.

The first command after an installation waits for the compiler, so kernels are loops over numbers: assigning whole
rows or slices makes numba spend 1.7 s on compiling the error message for different lengths, and a kernel for all
cases compiles them all. A kernel called with a contiguous array and with a view is compiled twice.
"""
