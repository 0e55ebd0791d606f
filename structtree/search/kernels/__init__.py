"""The hot loops, compiled by numba; nothing else in the package imports it.

Each has a plain-Python twin in the tests that it must equal: counting in ``tests/search/twins.py``, losses in
``tests/search/reference.py``, and dividing tables in the general search itself.
"""
