"""Baskets, receipts and prices by the piece or the kilo."""

from collections.abc import Iterator

from ..draw import Draw
from ..problem import shape
from ..words import an, gbp, num, usd


@shape("unit-price")
def unit_price(r: Draw) -> Iterator[str]:
    n, m, x, y = r.roll(4, 6), r.roll(8, 12, 2), r.roll(55, 75), r.roll(38, 50)
    thing, p = r.pick("sponges", "light bulbs", "batteries"), r.person()
    yield f"""A pack of {n} {thing} costs {usd(n * x)}; a pack of {m} costs {usd(m * y)}. {p} compares the price of a
    single one. How many cents less does each cost in the larger pack?
    - In the small pack one costs {n * x} / {n} = {x} cents.
    - In the large pack one costs {m * y} / {m} = {y} cents.
    - The difference is {x} - {y} = {x - y} cents.
    = {(n * x * m - m * y * n) // (n * m)}"""
    x, y = r.such(lambda: (r.roll(3, 7), r.roll(4, 8)), lambda v: v[0] != v[1])
    n, m = r.roll(4, 6), r.roll(8, 12)
    cheap = min(x, y)
    yield f"""Olive oil comes in a {n}-liter can for ${n * x} or {an(m)}-liter can for ${m * y}. The kitchen of a
    school needs {n * m} liters and will buy only one of the two sizes, whichever is cheaper per liter. What will the
    oil cost?
    - In the first can a liter costs ${n * x} / {n} = ${x}.
    - In the second can it costs ${m * y} / {m} = ${y}.
    - The cheaper price is ${cheap} a liter, so {n * m} liters cost {n * m} * ${cheap} = ${n * m * cheap}.
    = {min(n * x * m, m * y * n)}"""
    p, x, y, k = r.person(), r.roll(12, 18, 2), r.roll(8, 10), r.roll(2, 4)
    yield f"""Loose {r.pick("almonds", "dried mango", "oats")} are sold at ${x} a kilogram. The same thing is on the
    shelf in 250-gram bags at {usd(x * 25 + y * 10)}. {p} needs {k} kg. How many dollars does {p.he} save by filling
    paper bags from the loose bin?
    - One kilogram takes 1,000 / 250 = 4 bags.
    - In bags it costs 4 * {usd(x * 25 + y * 10)} = {usd(x * 100 + y * 40)} a kilogram.
    - Loose, each kilogram is cheaper by {usd(x * 100 + y * 40)} - ${x} = {usd(y * 40)}.
    - On {k} kg the saving is {k} * {usd(y * 40)} = {usd(k * y * 40)}.
    = {usd(k * 4 * (x * 25 + y * 10) - k * x * 100)}"""
    n, x, m = r.roll(6, 10), r.roll(30, 45), r.roll(3, 5)
    yield f"""{n} rolls of the first brand of kitchen paper cost {usd(n * x)}. At the same price per roll, what would
    {n + m} rolls cost, in dollars?
    - One roll costs {n * x} / {n} = {x} cents.
    - For {n + m} rolls that makes {n + m} * {x} = {(n + m) * x} cents.
    - In dollars this is {(n + m) * x} / 100 = {usd((n + m) * x)}.
    = {num(n * x + m * x, 100)}"""
    a, b, c = r.such(lambda: (r.roll(20, 32, 2), r.roll(20, 32, 2), r.roll(20, 32, 2)), lambda v: len({*v}) == 3)
    lo, hi = min(a, b, c), max(a, b, c)
    yield f"""Three sizes of {r.pick("peanut butter", "honey", "tahini")} stand side by side: 200 g for
    {usd(2 * a * 5)}, 400 g for {usd(4 * b * 5)} and 500 g for {usd(5 * c * 5)}. Per 100 g, how many cents lie between
    the dearest and the cheapest size?
    - The smallest jar holds two portions of 100 g, each costing {10 * a} / 2 = {5 * a} cents.
    - The middle jar holds four, each costing {20 * b} / 4 = {5 * b} cents.
    - The large jar holds five, each costing {25 * c} / 5 = {5 * c} cents.
    - The dearest is {5 * hi} cents and the cheapest {5 * lo} cents.
    - They are {5 * hi} - {5 * lo} = {5 * (hi - lo)} cents apart.
    = {max(a, b, c) * 5 - min(a, b, c) * 5}"""
    x, k, p = r.roll(15, 24), r.roll(3, 6), r.person()
    yield f"""Printer ink is ${x * 3} for a set of three cartridges or ${x + k} for a single one. {p}'s office uses 12
    cartridges a year. What does it save in a year by buying sets?
    - Twelve cartridges are 12 / 3 = 4 sets.
    - The sets cost 4 * ${x * 3} = ${12 * x}.
    - Singly they would cost 12 * ${x + k} = ${12 * (x + k)}.
    - The saving is ${12 * (x + k)} - ${12 * x} = ${12 * k}.
    = {12 * (x + k - x)}"""


@shape("shopping")
def shopping(r: Draw) -> Iterator[str]:
    p, n, m, x, y, z = r.person(), r.roll(2, 4), r.roll(3, 6), r.roll(12, 18), r.roll(3, 6), r.roll(8, 15)
    yield f"""For the new school year {p} needs {n} shirts at ${x}, {m} pairs of socks at ${y} and one pencil case at
    ${z}. What does it all cost?
    - Shirts: {n} * ${x} = ${n * x}.
    - Socks: {m} * ${y} = ${m * y}.
    - Together with the pencil case that is ${n * x} + ${m * y} + ${z} = ${n * x + m * y + z}.
    = {sum([x] * n) + sum([y] * m) + z}"""
    p, x, y, n = r.person(), r.roll(28, 40, 2), r.roll(6, 9), r.roll(3, 5)
    z = r.roll(4, 19)
    yield f"""{p} has ${x + y * n + z} to spend at the garden center. A bag of soil and a trellis together cost ${x},
    and the rest could go on climbing roses at ${y} each. After buying {n} roses, how much does {p.he} still have?
    - After the soil and the trellis {p} has ${x + y * n + z} - ${x} = ${y * n + z}.
    - The roses cost {n} * ${y} = ${n * y}.
    - What is left is ${y * n + z} - ${n * y} = ${z}.
    = {x + y * n + z - x - y * n}"""
    x, k, n = r.roll(24, 40, 2), r.roll(6, 12), r.roll(2, 4)
    hero, p = r.pick("skateboard", "football", "tennis racket"), r.person()
    yield f"""A {hero} costs ${x}. A helmet costs ${k} more than that, and a pair of gloves costs half as much as the
    {hero}. {p}'s parents buy one of each, and {n} spare pairs of gloves on top. What do they spend?
    - The helmet costs ${x} + ${k} = ${x + k}.
    - One pair of gloves costs ${x} / 2 = ${x // 2}.
    - They take 1 + {n} = {n + 1} pairs of gloves.
    - The gloves come to {n + 1} * ${x // 2} = ${(n + 1) * x // 2}.
    - The {hero} and the helmet come to ${x} + ${x + k} = ${2 * x + k}.
    - In total they spend ${2 * x + k} + ${(n + 1) * x // 2} = ${2 * x + k + (n + 1) * x // 2}.
    = {(x * (5 + n) + 2 * k) // 2}"""
    p, n, x, m, y = r.person(), r.roll(3, 5), r.roll(160, 240, 10), r.roll(2, 3), r.roll(310, 450, 10)
    b = r.roll(85, 115, 5)
    yield f""""Get {n} cartons of oat milk and {m} jars of jam," says the note on {p}'s fridge. The milk turns out to
    be {gbp(x)} a carton and the jam {gbp(y)} a jar, and {p.he} adds a {gbp(b)} bar of chocolate that was not on the
    note. How many pounds does the shopping cost?
    - The milk costs {n} * {gbp(x)} = {gbp(n * x)}.
    - The jam costs {m} * {gbp(y)} = {gbp(m * y)}.
    - With the chocolate {p} pays {gbp(n * x)} + {gbp(m * y)} + {gbp(b)} = {gbp(n * x + m * y + b)}.
    = {gbp(n * x + m * y + b)}"""
    n, x, y = r.such(lambda: (r.roll(3, 5), r.roll(7, 12), r.roll(15, 25)), lambda v: v[0] * v[1] != v[2])
    p, q = r.person(), r.person()
    yield f"""{p} bought {n} cinema tickets at ${x} each and {q} paid ${y} for snacks for the whole group. They want
    each to have paid the same. How much money must {p if n * x < y else q} hand over to {q if n * x < y else p}?
    - The tickets cost {n} * ${x} = ${n * x}.
    - The evening cost ${n * x} + ${y} = ${n * x + y} in all.
    - A fair half is ${n * x + y} / 2 = {usd((n * x + y) * 50)}.
    - {p if n * x < y else q} has paid only ${min(n * x, y)}, so the amount to hand over is {usd((n * x + y) * 50)} -
    ${min(n * x, y)} = {usd((n * x + y) * 50 - min(n * x, y) * 100)}.
    = {usd(abs(n * x - y) * 50)}"""
    p, x, n, y, m = r.person(), r.roll(35, 60, 5), r.roll(2, 4), r.roll(4, 8), r.roll(3, 6)
    t = x + n * y
    yield f"""The receipt in {p}'s pocket is torn. It still shows a total of ${t + m * 2}, {n} boxes of screws at ${y}
    each and {m} brushes at $2 each; the only other thing {p.he} bought was a drill. What did the drill cost?
    - The screws cost {n} * ${y} = ${n * y}.
    - The brushes cost {m} * $2 = ${m * 2}.
    - Apart from the drill that is ${n * y} + ${m * 2} = ${n * y + m * 2}.
    - The drill must have cost ${t + m * 2} - ${n * y + m * 2} = ${t - n * y}.
    = {x}"""
