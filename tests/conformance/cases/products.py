"""Sums of products: Gemm, MatMul, Einsum."""

import numpy as np
from export import W

GEMMS = [
    # Rows, inner, columns; attributes; shape of the third operand.
    (1, 16, 8, {}, None),
    (1, 10, 8, {}, None),
    (1, 16, 10, {}, (10,)),
    (1, 10, 8, {}, (1,)),
    (4, 16, 8, {}, None),
    (3, 9, 6, {}, (6,)),
    (5, 20, 10, {}, (5, 10)),
    (6, 12, 18, {}, (6, 1)),
    (10, 20, 40, {}, None),
    (4, 17, 8, {}, (1, 8)),
    (2, 7, 5, {"transB": 1}, (5,)),
    (1, 16, 8, {"transB": 1}, (8,)),
    (3, 7, 5, {"transA": 1}, (5,)),
    (3, 7, 5, {"transA": 1, "transB": 1}, (5,)),
    (3, 7, 5, {"alpha": 0.5, "beta": 2.0}, (5,)),
    (3, 7, 5, {"alpha": 0.5, "transB": 1}, None),
    (3, 7, 5, {"beta": 0.0}, (5,)),
    (1, 1, 1, {}, ()),
    (2, 1, 3, {}, (3,)),
    (2, 5, 1, {}, (1,)),
]


def add(family):
    one, case = family.one, family.case
    for rows, inner, columns, attributes, third in GEMMS:
        a = (inner, rows) if attributes.get("transA") else (rows, inner)
        b = (columns, inner) if attributes.get("transB") else (inner, columns)
        name = "_".join(["gemm", str(rows), str(inner), str(columns), *attributes])
        name += "_plain" if third is None else "_" + "x".join(map(str, third))
        rest = [] if third is None else [W(*third)]
        one(name, "Gemm", a, W(*b), *rest, opset=13, **attributes)
        if not attributes or "transA" in attributes:
            rest = [] if third is None else [third]
            one(f"{name}_changing", "Gemm", a, b, *rest, opset=13, **attributes)
    for opset in [7, 9, 11]:
        one(f"gemm_opset_{opset}", "Gemm", (3, 5), W(4, 5), W(4), opset=opset, transB=1)
    one("gemm_constant_left", "Gemm", W(3, 5), (5, 4), W(4), opset=13)

    for name, a, b in [
        ("2_2", (3, 5), (5, 7)),
        ("2_2_one_row", (1, 5), (5, 7)),
        ("2_2_one_column", (3, 5), (5, 1)),
        ("2_2_inner_one", (3, 1), (1, 7)),
        ("3_2", (2, 3, 5), (5, 7)),
        ("3_2_one", (1, 1, 6), (6, 4)),
        ("3_3", (2, 3, 5), (2, 5, 7)),
        ("3_3_one_row", (2, 1, 16), (2, 16, 12)),
        ("3_3_left_repeated", (1, 3, 5), (2, 5, 7)),
        ("3_3_right_repeated", (2, 3, 5), (1, 5, 7)),
        ("2_3", (3, 5), (2, 5, 7)),
        ("4_4", (2, 3, 4, 5), (2, 3, 5, 6)),
        ("4_4_one_repeated", (2, 3, 4, 5), (2, 1, 5, 6)),
        ("4_4_both_repeated", (2, 1, 4, 5), (1, 3, 5, 6)),
        ("4_2", (2, 3, 4, 5), (5, 6)),
        ("4_3", (2, 3, 4, 5), (3, 5, 6)),
        ("5_5", (2, 1, 3, 2, 5), (2, 1, 3, 5, 3)),
        ("1_2", (5,), (5, 7)),
        ("2_1", (3, 5), (5,)),
        ("1_1", (5,), (5,)),
        ("1_3", (5,), (2, 5, 3)),
        ("3_1", (2, 3, 5), (5,)),
        ("tokens_17", (1, 2, 17, 4), (1, 2, 4, 17)),
    ]:
        one(f"matmul_{name}", "MatMul", a, b, opset=13)
        one(f"matmul_{name}_constant", "MatMul", a, W(*b), opset=13)
        one(f"matmul_{name}_constant_left", "MatMul", W(*a), b, opset=13)
    one("matmul_1_opset", "MatMul", (2, 3, 5), W(5, 4), opset=9)

    case(
        "matmul_of_transposed",
        lambda g: g.op("MatMul", g.x(2, 3, 5, 4), g.op("Transpose", g.x(2, 3, 7, 4), perm=[0, 1, 3, 2])),
    )
    case(
        "matmul_of_itself", lambda g: (lambda x: g.op("MatMul", x, g.op("Transpose", x, perm=[0, 2, 1])))(g.x(2, 3, 5))
    )
    case(
        "matmul_chain",
        lambda g: g.op("MatMul", g.op("Add", g.op("MatMul", g.x(2, 3, 5), g.w(5, 6)), g.w(6)), g.w(6, 4)),
    )

    for equation, *shapes in [
        ("ij,jk->ik", (3, 5), (5, 4)),
        ("ij,jk", (3, 5), (5, 4)),
        ("bij,bjk->bik", (2, 3, 5), (2, 5, 4)),
        ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)),
        ("bhij,bhjd->bihd", (2, 3, 4, 5), (2, 3, 5, 6)),
        ("bhwkc,rkc->bhwkr", (1, 2, 3, 4, 5), (6, 4, 5)),
        ("bchw,cd->bdhw", (2, 3, 4, 5), (3, 6)),
        ("nchw,nqc->nqhw", (2, 3, 4, 5), (2, 6, 3)),
        ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
        ("ij->ji", (3, 5)),
        ("bij->b", (2, 3, 5)),
        ("ij->", (3, 5)),
        ("ij,ik->", (3, 5), (3, 4)),
        ("ji", (3, 5)),
        ("kj,ki", (3, 5), (3, 4)),
        ("i,j->ij", (3,), (4,)),
        ("i,i->", (5,), (5,)),
        ("bij,bij->bi", (2, 3, 5), (2, 3, 5)),
        ("bi,bi->bi", (2, 3), (2, 3)),
        ("bij,j->bij", (2, 3, 5), (5,)),
        ("ij,kj->ik", (3, 1), (4, 1)),
        ("ii->i", (4, 4)),
        ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
        ("ab,cd->abcd", (2, 3), (4, 5)),
        ("abc,cb->a", (2, 3, 4), (4, 3)),
    ]:
        name = "einsum_" + equation.replace("->", "_to_").replace(",", "_and_").replace("...", "more_")
        one(name, "Einsum", *shapes, opset=12, equation=equation)
        if len(shapes) == 2:
            one(f"{name}_constant", "Einsum", shapes[0], W(*shapes[1]), opset=12, equation=equation)
    case(
        "matmul_large_and_small",
        lambda g: g.op("MatMul", g.feed(np.float32([[1e20, 1.0, -1e20], [1e-20, 1, 2]])), g.w(3, 4)),
    )
