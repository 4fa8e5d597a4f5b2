"""Agreement of two assessors: coefficients of the matrix of their grades, and what each of them measures."""
