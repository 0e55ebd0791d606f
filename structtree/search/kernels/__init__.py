"""The hot loops, compiled by numba; nothing else in the package imports it.

Each has a plain-Python twin in the tests that it must equal: counting in ``tests/search/twins.py``, losses in
``tests/search/reference.py``, and dividing tables in the general search itself.

The first command after an installation waits for the compiler, so kernels are loops over numbers: assigning whole
rows or slices makes numba compile for 1.7 s what would be said if their lengths differed, and a kernel for all cases
compiles them all. An array that is contiguous at one call and a view at another is compiled for twice.
"""
