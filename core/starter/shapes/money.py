"""At the till: change, discounts, tax, tips, and what a seller keeps."""

from collections.abc import Iterator

from ..draw import Draw
from ..problem import shape
from ..words import count, eur, gbp, usd


@shape("change", held_out=2)
def change(r: Draw) -> Iterator[str]:
    p, n, x = r.person(), r.roll(3, 7), r.roll(110, 240, 5)
    thing = r.pick("exercise books", "gel pens", "reels of tape")
    yield f"""{p} takes {n} {thing} priced at {usd(x)} each to the counter and pays with a $20 note. How many dollars
    of change does {p.he} get?
    - The {thing} come to {n} * {usd(x)} = {usd(t := n * x)}.
    - {p} gets back $20 - {usd(t)} = {usd(2000 - t)}.
    = {usd(2000 - sum([x] * n))}"""
    p, n, m, x, y = r.person(), r.roll(2, 4), r.roll(2, 3), r.roll(180, 320, 10), r.roll(350, 520, 10)
    veg, fruit = r.pick("tomatoes", "carrots", "courgettes"), r.pick("figs", "apricots", "plums")
    yield f"""At a market in {r.pick("Porto", "Bologna", "Lyon")}, {veg} cost {eur(x)} a kilo and {fruit} {eur(y)} a
    kilo. {p} wants {n} kg of the first and {m} kg of the second and has only a €50 note. What change, in euros,
    should the stallholder return?
    - {n} kg of {veg} cost {n} * {eur(x)} = {eur(n * x)}.
    - {m} kg of {fruit} cost {m} * {eur(y)} = {eur(m * y)}.
    - The whole purchase is {eur(n * x)} + {eur(m * y)} = {eur(t := n * x + m * y)}.
    - The change from the note is €50 - {eur(t)} = {eur(5000 - t)}.
    = {eur(5000 - n * x - m * y)}"""
    x = r.roll(120, 230, 5)
    n = (x + r.roll(45, 90, 5)) // 25 + 1
    yield f"""A drinks machine accepts only quarters and pays out its change in nickels. Someone feeds it {n} quarters
    for a carton of juice that costs {usd(x)}. How many nickels drop into the tray?
    - {n} quarters are worth {n} * 25 = {n * 25} cents.
    - The juice costs {x} cents, so the machine owes {n * 25} - {x} = {n * 25 - x} cents.
    - A nickel is 5 cents, which makes {n * 25 - x} / 5 = {(n * 25 - x) // 5} nickels.
    = {n * 5 - x // 5}"""
    p, n, m, x, y = r.person(), 2, r.roll(2, 4), r.roll(260, 360, 10), r.roll(110, 170, 10)
    z = r.roll(400, 650, 25)
    yield f"""Boarding the ferry, {p} pays for {n} adults at {usd(x)} each and {m} children at {usd(y)} each with a
    $50 bill. On deck {p.he} spends {usd(z)} of the change on a map. How much of the $50 is left after that?
    - The adult fares are {n} * {usd(x)} = {usd(n * x)}.
    - The children's fares are {m} * {usd(y)} = {usd(m * y)}.
    - The crossing costs {usd(n * x)} + {usd(m * y)} = {usd(t := n * x + m * y)} in all.
    - That leaves $50 - {usd(t)} = {usd(5000 - t)} in change.
    - After the map, {usd(5000 - t)} - {usd(z)} = {usd(5000 - t - z)} remains.
    = {usd(5000 - (n * x + m * y + z))}"""
    p, f, n, x, m, y = r.person(), r.roll(60, 120, 10), r.roll(4, 9), r.roll(3, 6), r.roll(3, 8), r.roll(7, 12)
    b = r.roll(20, 45, 5)
    yield f"""{p} opens the cake stall with ${f} of coins in the tin. By noon {p.he} has sold {n} slices of tart at
    ${x} and {m} whole loaves at ${y}; every buyer paid the exact price. {p} then takes ${b} out of the tin to pay for
    more flour, and a friend swaps a $10 note for ten $1 coins from it. How much money is in the tin?
    - The slices brought in {n} * ${x} = ${n * x}.
    - The loaves brought in {m} * ${y} = ${m * y}.
    - Sales together were ${n * x} + ${m * y} = ${(t := n * x + m * y)}.
    - With the starting coins the tin held ${f} + ${t} = ${f + t}.
    - Paying for flour left ${f + t} - ${b} = ${f + t - b}.
    - The swap puts in as much as it takes out: ${f + t - b} + $10 - $10 = ${f + t - b}.
    = {f - b + n * x + m * y}"""
    p, x, n = r.person(), r.roll(135, 195, 10), r.roll(3, 5)
    y = 2000 - n * x - r.roll(100, 300, 50)
    yield f"""A kiosk sells postcards at {gbp(x)} apiece. {p} picked out {n}, paid with a £20 note and was handed only
    {gbp(y)} back. How much too little was that, in pounds?
    - The cards should cost {n} * {gbp(x)} = {gbp(n * x)}.
    - So the right change is £20 - {gbp(n * x)} = {gbp(2000 - n * x)}.
    - {p} was short by {gbp(2000 - n * x)} - {gbp(y)} = {gbp(2000 - n * x - y)}.
    = {gbp(2000 - y - x * n)}"""
    p, q, x, y = r.person(), r.person(), r.roll(610, 890, 10), r.roll(430, 590, 10)
    yield f"""{p} and {q} have one $20 bill between them. {p}'s noodle soup is {usd(x)} and {q}'s dumplings are
    {usd(y)}. They agree to halve whatever change comes back. What is each half worth in dollars?
    - Lunch costs {usd(x)} + {usd(y)} = {usd(x + y)}.
    - The change is $20 - {usd(x + y)} = {usd(2000 - x - y)}.
    - Each of them takes {usd(2000 - x - y)} / 2 = {usd((2000 - x - y) // 2)}.
    = {usd(1000 - (x + y) // 2)}"""


@shape("discount")
def discount(r: Draw) -> Iterator[str]:
    x, d = r.roll(60, 180, 20), r.pick(15, 20, 25, 30, 35)
    coat = r.pick("raincoat", "down jacket", "wool coat")
    yield f"""A {coat} was marked ${x}. In the spring sale its price is cut by {d}%. What does it cost now?
    - The reduction is ${x} * {d} / 100 = ${x * d // 100}.
    - The sale price is ${x} - ${x * d // 100} = ${x - x * d // 100}.
    = {x * (100 - d) // 100}"""
    n, x = r.roll(3, 6) * 3, r.roll(4, 9)
    p, herb = r.person(), r.pick("thyme", "basil", "mint")
    yield f"""The nursery is running a "third pot free" week: in every group of three pots, one costs nothing. {p}
    carries {n} pots of {herb} to the cash desk. Each is labelled ${x}. How much will {p.he} pay?
    - {n} pots make {n} / 3 = {n // 3} groups of three.
    - In each group only two are paid for, so {p} pays for {n // 3} * 2 = {n // 3 * 2} pots.
    - That costs {n // 3 * 2} * ${x} = ${n // 3 * 2 * x}.
    = {n * x - n // 3 * x}"""
    n, m, x, d = r.roll(12, 24), 2, r.roll(8, 14, 2), r.pick(25, 50)
    yield f"""Admission to the {r.pick("maritime", "science", "railway")} museum is ${x}. Pupils get {d}% off;
    teachers pay the full price. A class of {n} pupils comes with {m} teachers. What is the bill at the door?
    - The pupils' reduction is ${x} * {d} / 100 = {usd(x * d)} each.
    - A pupil's ticket is therefore ${x} - {usd(x * d)} = {usd(y := x * (100 - d))}.
    - All the pupils pay {n} * {usd(y)} = {usd(n * y)}.
    - The teachers pay {m} * ${x} = ${m * x}.
    - The bill is {usd(n * y)} + ${m * x} = {usd(n * y + 100 * m * x)}.
    = {usd((n + m) * x * 100 - n * x * d)}"""
    x, d, k = r.roll(80, 160, 20), r.pick(10, 20, 25), r.roll(8, 15)
    p = r.person()
    yield f"""{p} has two vouchers for the same ${x} pair of hiking boots: one takes off {d}%, the other a flat ${k}.
    The shop allows both, but the percentage has to be used first. How many dollars does {p.he} save altogether by
    using the two?
    - The first voucher is worth ${x} * {d} / 100 = ${x * d // 100}.
    - Now the boots are at ${x} - ${x * d // 100} = ${(y := x - x * d // 100)}.
    - The second voucher lowers that to ${y} - ${k} = ${y - k}.
    - Compared with the full price, {p} saves ${x} - ${y - k} = ${x - y + k}.
    = {x * d // 100 + k}"""
    d, x, y = r.pick(20, 25, 40), r.roll(100, 200, 20), r.roll(2, 4)
    z = x * (100 - d) // 100
    yield f"""Everything in the lamp shop is {d}% off, and the tags show only the reduced prices. One reading lamp is
    tagged ${z}. {r.person()} wants {y} of them for an office. How much would that many have cost before the sale?
    - The tag shows 100 - {d} = {100 - d} percent of the old price.
    - One percent of it is ${z} / {100 - d} = {usd(x)}.
    - So a lamp used to cost {usd(x)} * 100 = ${x}.
    - Before the sale {y} lamps came to {y} * ${x} = ${y * x}.
    = {z * y * 100 // (100 - d)}"""
    x, d, e = r.roll(200, 400, 20), r.pick(20, 25), r.pick(5, 10)
    y = x + 20
    thing = r.pick("tent", "vacuum cleaner", "tablet")
    yield f"""Two shops sell the same {thing}. Shop A lists it at ${x} and gives {e}% off; shop B lists it at ${y} but
    gives {d}% off. By how many dollars is shop B cheaper?
    - Shop A takes off ${x} * {e} / 100 = ${x * e // 100} and asks ${x} - ${x * e // 100} =
    ${(s := x - x * e // 100)}.
    - Shop B takes off ${y} * {d} / 100 = ${y * d // 100} and asks ${y} - ${y * d // 100} =
    ${(t := y - y * d // 100)}.
    - The gap is ${s} - ${t} = ${s - t}.
    = {(x * (100 - e) - y * (100 - d)) // 100}"""


@shape("sales-tax")
def sales_tax(r: Draw) -> Iterator[str]:
    x, d, t = r.roll(80, 240, 20), r.pick(10, 20, 25), r.pick(5, 6, 8)
    thing = r.pick("a pair of headphones", "a desk lamp", "a folding chair")
    yield f"""The price tag on {thing} says ${x}. The cashier first takes off {d}% and then adds {t}% sales tax. What
    is the amount due?
    - The discount is ${x} * {d} / 100 = ${x * d // 100}.
    - The price before tax is ${x} - ${x * d // 100} = ${(y := x - x * d // 100)}.
    - Tax adds ${y} * {t} / 100 = {usd(y * t)}.
    - The amount due is ${y} + {usd(y * t)} = {usd(y * (100 + t))}.
    = {usd(x * (100 - d) * (100 + t) // 100)}"""
    p, f, g, t = r.person(), r.roll(14, 36), r.roll(10, 30, 2), r.pick(5, 10)
    yield f"""Where {p} lives, food is free of sales tax, while household goods are taxed at {t}%. The trolley holds
    ${f} of food and ${g} of household goods. How much does {p} pay?
    - Only the household goods are taxed: ${g} * {t} / 100 = {usd(g * t)}.
    - Before tax everything comes to ${f} + ${g} = ${f + g}.
    - With the tax it is ${f + g} + {usd(g * t)} = {usd((f + g) * 100 + g * t)}.
    = {usd(f * 100 + g * (100 + t))}"""
    n, x, d, t = r.roll(20, 40, 10), r.roll(12, 20, 2), r.pick(5, 10, 15), r.pick(6, 8, 12)
    yield f"""A caterer charges ${x} a head. A club with {n} guests gets a members' discount of {d}% on the total,
    after which {t}% tax is added. How much of the final bill is tax?
    - The meals are listed at {n} * ${x} = ${(s := n * x)}.
    - The members' discount is ${s} * {d} / 100 = {usd(s * d)}.
    - That leaves ${s} - {usd(s * d)} = {usd(y := s * (100 - d))} to be taxed.
    - The tax is {usd(y)} * {t} / 100 = {usd(y * t // 100)}.
    = {usd(n * x * (100 - d) * t // 100)}"""
    p, x, y, z = r.person(), r.roll(40, 80, 20), r.roll(12, 24, 4), r.roll(6, 12, 2)
    d, t = r.pick(25, 50), r.pick(5, 10)
    yield f"""{p} is furnishing a student room. A rug at ${x} is reduced by {d}%; a clock at ${y} and a mirror at ${z}
    are not. The shop adds {t}% tax to the whole purchase and charges $7 for delivery, which is untaxed. What is the
    full cost, in dollars?
    - The rug is reduced by ${x} * {d} / 100 = ${x * d // 100}.
    - It now costs ${x} - ${x * d // 100} = ${(k := x - x * d // 100)}.
    - The clock and the mirror add ${y} + ${z} = ${y + z}.
    - The goods together are ${k} + ${y + z} = ${(s := k + y + z)}.
    - The tax on them is ${s} * {t} / 100 = {usd(s * t)}.
    - Goods with tax come to ${s} + {usd(s * t)} = {usd(s * (100 + t))}.
    - Adding delivery gives {usd(s * (100 + t))} + $7 = {usd(s * (100 + t) + 700)}.
    = {usd((x * (100 - d) + 100 * (y + z)) * (100 + t) // 100 + 700)}"""
    x, d, t = r.roll(200, 600, 100), r.pick(10, 20, 30), r.pick(5, 10)
    bike = r.pick("bicycle", "kayak", "sewing machine")
    yield f""""{d} percent off, tax included in none of our prices," reads the sign above a {bike} that used to be
    ${x}. {r.person()} has saved ${x} and knows that {t}% tax will be added to the reduced price. How many dollars
    will be left over after buying it?
    - Off the price come ${x} * {d} / 100 = ${x * d // 100}.
    - The reduced price is ${x} - ${x * d // 100} = ${(y := x - x * d // 100)}.
    - On that, the tax is ${y} * {t} / 100 = {usd(y * t)}.
    - The purchase costs ${y} + {usd(y * t)} = {usd(y * (100 + t))}.
    - Left over are ${x} - {usd(y * (100 + t))} = {usd(x * 100 - y * (100 + t))}.
    = {usd(x * (10000 - (100 - d) * (100 + t)) // 100)}"""
    p, n, x, k, t = r.person(), r.roll(2, 5), r.roll(15, 25), r.roll(5, 10), r.pick(8, 10, 12)
    yield f"""Online, {p} orders {n} jigsaw puzzles at ${x} each and types in a code worth ${k} off the order. Tax of
    {t}% is worked out on what remains. What total does the screen show?
    - {n} puzzles cost {n} * ${x} = ${n * x}.
    - With the code the order drops to ${n * x} - ${k} = ${(y := n * x - k)}.
    - The tax is ${y} * {t} / 100 = {usd(y * t)}.
    - The screen shows ${y} + {usd(y * t)} = {usd(y * (100 + t))}.
    = {usd((n * x - k) * (100 + t))}"""


@shape("tip-split")
def tip_split(r: Draw) -> Iterator[str]:
    n = r.roll(3, 6)
    x, t = n * r.roll(12, 20, 4), r.pick(10, 15, 20, 25)
    p = r.person()
    food = r.pick("curry house", "taqueria", "noodle bar")
    yield f"""At the {food} the bill for {p} and {count(n - 1, "friend")} is ${x}. They add a tip of {t}% and divide
    the sum equally. What is {p}'s share?
    - The tip is ${x} * {t} / 100 = {usd(x * t)}.
    - With it the bill is ${x} + {usd(x * t)} = {usd(x * (100 + t))}.
    - Shared by {n}, that is {usd(x * (100 + t))} / {n} = {usd(x * (100 + t) // n)} each.
    = {usd(x // n * (100 + t))}"""
    x, d, k = r.roll(40, 90, 10), r.pick(15, 20), r.roll(10, 25, 5)
    yield f"""{r.person()} has a ${k} gift card for a restaurant where dinner came to ${x}. The custom is to tip {d}%
    on the full price, not on what is left after the card. How many dollars have to be paid in cash, tip included?
    - The tip is ${x} * {d} / 100 = {usd(x * d)}.
    - Dinner and tip cost ${x} + {usd(x * d)} = {usd(x * (100 + d))}.
    - The card covers ${k}, so {usd(x * (100 + d))} - ${k} = {usd(x * (100 + d) - 100 * k)} is paid in cash.
    = {usd((x - k) * 100 + x * d)}"""
    x, k, t = r.roll(14, 22, 2), r.roll(6, 12, 2), r.pick(10, 15, 20)
    p, q = r.person(), r.person()
    yield f"""{q}'s meal costs ${k} more than {p}'s, which is ${x}. Each pays for what
    {r.pick("was eaten", "was ordered")} and leaves {t}% of it as a tip. How much does {q} pay altogether?
    - {q}'s meal costs ${x} + ${k} = ${x + k}.
    - The tip on it is ${x + k} * {t} / 100 = {usd((x + k) * t)}.
    - Meal and tip make ${x + k} + {usd((x + k) * t)} = {usd((x + k) * (100 + t))}.
    = {usd(x * (100 + t) + k * (100 + t))}"""
    n, y, z, w, t = 4, r.roll(9, 14), r.roll(3, 5), r.roll(12, 20, 4), r.pick(10, 20, 25)
    s = n * y + n * z + w
    yield f"""Four {r.pick("rowers", "nurses", "choir members")} go for pizza. They order {n} pizzas at ${y} each, {n}
    drinks at ${z} each and one platter of starters for ${w}. The tip is {t}% of the bill and everything is shared
    evenly. How much does one of them pay?
    - The pizzas cost {n} * ${y} = ${n * y}.
    - The drinks cost {n} * ${z} = ${n * z}.
    - Adding the platter, the bill is ${n * y} + ${n * z} + ${w} = ${s}.
    - The tip is ${s} * {t} / 100 = {usd(s * t)}.
    - Bill and tip make ${s} + {usd(s * t)} = {usd(s * (100 + t))}.
    - One of the four pays {usd(s * (100 + t))} / {n} = {usd(s * (100 + t) // n)}.
    = {usd((y + z + w // n) * (100 + t))}"""
    n, m, x = r.roll(3, 4), r.roll(2, 3), r.roll(15, 24)
    x, y = x * n, r.roll(6, 11) * n
    yield f"""A table of {n + m} ate together: {n} of them had wine and {m} did not. The food came to
    ${x // n * (n + m)} and was split among everybody; the wine, ${y}, only among those who drank it. A tip of
    ${2 * (n + m)} was shared by all. What did a wine drinker pay?
    - The food per person was ${x // n * (n + m)} / {n + m} = ${x // n}.
    - The tip per person was ${2 * (n + m)} / {n + m} = $2.
    - Each of the {n} wine drinkers added ${y} / {n} = ${y // n}.
    - So a wine drinker paid ${x // n} + $2 + ${y // n} = ${x // n + 2 + y // n}.
    = {(x + y) // n + 2}"""
    n, x = r.roll(4, 8), r.roll(11, 17)
    p, t = r.person(), r.roll(3, 5)
    yield f"""After a {r.pick("harbor tour", "castle tour", "street-food walk")} the {n} guests each gave the guide
    ${t} on top of the ${x} fare. {p}, the guide, has to pass on all the fares and a quarter of the tips to the
    company. How much money does {p.he} keep?
    - The tips amount to {n} * ${t} = ${n * t}.
    - A quarter of that is ${n * t} / 4 = {usd(n * t * 25)}.
    - {p} keeps ${n * t} - {usd(n * t * 25)} = {usd(n * t * 75)}.
    = {usd(3 * n * t * 100 // 4)}"""


@shape("profit", held_out=2)
def profit(r: Draw) -> Iterator[str]:
    p, n, x, y = r.person(), r.roll(15, 30), r.roll(4, 7), r.roll(10, 16)
    thing = r.pick("bird houses", "clay mugs", "tote bags")
    yield f"""{p} makes {thing}. Materials for one cost ${x}, and each is sold for ${y}. What profit do {n} of them
    bring?
    - Each one earns ${y} - ${x} = ${y - x}.
    - {n} of them bring {n} * ${y - x} = ${n * (y - x)}.
    = {n * y - n * x}"""
    n, x, k, y = r.roll(5, 8) * 10, r.roll(20, 35, 5), r.roll(3, 8), r.roll(120, 180, 10)
    yield f"""A snack bar bought {n} bagels for ${x}. {k} went stale and were thrown away; the others were sold for
    {usd(y)} apiece. How much did the snack bar gain?
    - It sold {n} - {k} = {n - k} bagels.
    - They brought in {n - k} * {usd(y)} = {usd((n - k) * y)}.
    - After the cost, the gain is {usd((n - k) * y)} - ${x} = {usd((n - k) * y - x * 100)}.
    = {usd(n * y - k * y - x * 100)}"""
    x, k, d, p = r.roll(120, 300, 20), r.roll(30, 60, 5), r.pick(40, 50, 60), r.person()
    yield f"""{p} restores old {r.pick("accordions", "bicycles", "radios")}. One of them cost {p.him} ${x} at an
    auction and ${k} in spare parts. {p.He} wants to earn {d}% on everything {p.he} put in. At what price should
    {p.he} sell it?
    - {p} put in ${x} + ${k} = ${x + k}.
    - {d}% of that is ${x + k} * {d} / 100 = {usd((x + k) * d)}.
    - The selling price should be ${x + k} + {usd((x + k) * d)} = {usd((x + k) * (100 + d))}.
    = {usd(x * (100 + d) + k * (100 + d))}"""
    p, n, x, y, z, k = r.person(), r.roll(40, 60, 5), r.roll(2, 3), r.roll(5, 7), r.roll(3, 4), r.roll(10, 20, 2)
    m = n * 3 // 5
    yield f"""A school band had {n} badges made at ${x} each and paid ${k} for postage. At the spring concert {m} were
    sold for ${y}. The price was then lowered to ${z} and all the rest went too. What did the band make from the
    badges?
    - Making the badges cost {n} * ${x} = ${n * x}.
    - With postage the outlay was ${n * x} + ${k} = ${n * x + k}.
    - The full-price badges brought {m} * ${y} = ${m * y}.
    - There were {n} - {m} = {n - m} left.
    - At the lower price those brought {n - m} * ${z} = ${(n - m) * z}.
    - Income was ${m * y} + ${(n - m) * z} = ${(t := m * y + (n - m) * z)}.
    - The band made ${t} - ${n * x + k} = ${t - n * x - k}.
    = {m * (y - x) + (n - m) * (z - x) - k}"""
    x, y, k = r.roll(6, 9), r.roll(14, 19), r.roll(12, 30)
    yield f"""Renting a pitch at the flea market costs ${(y - x) * k}. A dealer buys old
    {r.pick("vases", "lanterns", "teapots")} at ${x} each and sells them at ${y} each. How many must be sold before
    the pitch is paid for?
    - The dealer gains ${y} - ${x} = ${y - x} on each.
    - To cover the pitch it takes {(y - x) * k} / {y - x} = {k} sales.
    = {next(s for s in range(1000) if s * (y - x) >= (y - x) * k)}"""
    n, x, y, p = r.roll(8, 14), r.roll(45, 70, 5), r.roll(30, 40), r.person()
    yield f"""{p} rents out paddle boards at ${y} a day. In one week {p.he} had {n} rentals and paid ${x} for
    insurance and ${x // 5} for a new fin. How much was left of the week's takings?
    - The rentals earned {n} * ${y} = ${n * y}.
    - Insurance and the fin cost ${x} + ${x // 5} = ${x + x // 5}.
    - Left over is ${n * y} - ${x + x // 5} = ${n * y - x - x // 5}.
    = {n * y - x * 6 // 5}"""
    n, k, x, y = r.roll(3, 6), r.roll(12, 20), r.roll(18, 30, 2), r.roll(3, 4)
    yield f"""A florist takes delivery of {n} crates of tulips with {k} bunches in each, at ${x} a crate. A bunch goes
    for ${y}. If every bunch is sold, what profit does the florist make?
    - The crates hold {n} * {k} = {n * k} bunches.
    - Sold out, they bring {n * k} * ${y} = ${n * k * y}.
    - The crates cost {n} * ${x} = ${n * x}.
    - The profit is ${n * k * y} - ${n * x} = ${n * k * y - n * x}.
    = {n * (k * y - x)}"""
