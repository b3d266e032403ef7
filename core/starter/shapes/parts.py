"""Fractions, percentages, ratios, recipes and mixtures."""

from collections.abc import Iterator

from ..draw import Draw
from ..problem import shape
from ..words import count, num, usd


@shape("fractions")
def fractions(r: Draw) -> Iterator[str]:
    n, p = r.roll(5, 12), r.person()
    yield f"""{p} picked {n * 12} {r.pick("plums", "quinces", "lemons")}. A third of them went to the neighbors and a
    quarter into jam. How many were left?
    - The neighbors got {n * 12} / 3 = {n * 4}.
    - The jam took {n * 12} / 4 = {n * 3}.
    - {n * 12} - {n * 4} - {n * 3} = {n * 5} were left.
    = {num(n * 12 * 5, 12)}"""
    n, k = r.roll(6, 12), r.roll(2, 4)
    yield f"""Two fifths of the {n * 5} players in a {r.pick("youth orchestra", "brass band")} play strings. Half of
    the string players, and {k} others, have a solo. How many have a solo?
    - One fifth is {n * 5} / 5 = {n} players.
    - Two fifths are 2 * {n} = {2 * n}.
    - Half of these are {2 * n} / 2 = {n}.
    - With the others, {n} + {k} = {n + k} have a solo.
    = {n * 5 * 2 // 5 // 2 + k}"""
    n, p, day = r.roll(3, 7), r.person(), r.pick("Friday", "Saturday")
    yield f"""On {day} {p} used 3/8 of a roll of wrapping paper, which was {num(n * 3, 2)} meters. How long was the
    whole roll, in meters?
    - One eighth of the roll is {num(n * 3, 2)} / 3 = {num(n, 2)} meters.
    - The whole roll has eight of these: 8 * {num(n, 2)} = {n * 4} meters.
    = {num(n * 3 * 8, 2 * 3)}"""
    n, k = r.roll(4, 8), r.roll(10, 20)
    yield f"""Of the {n * 30} seats in a small theater, 1/6 are in the balcony. On opening night 4/5 of the balcony
    seats and all but {k} of the others were taken. Tickets had sold slowly until a newspaper wrote about the play.
    How many people were in the audience?
    - The balcony has {n * 30} / 6 = {n * 5} seats.
    - One fifth of these is {n * 5} / 5 = {n}.
    - So 4 * {n} = {4 * n} people sat in the balcony.
    - Elsewhere there are {n * 30} - {n * 5} = {n * 25} seats.
    - Of those {n * 25} - {k} = {n * 25 - k} were taken.
    - The audience numbered {4 * n} + {n * 25 - k} = {n * 29 - k}.
    = {n * 30 - n - k}"""
    n, p, q, c = r.roll(2, 5), r.person(), r.person(), r.pick("tray of baklava", "sheet of cornbread", "box of dates")
    yield f"""A {c} is divided into {n * 12} equal pieces. {p} eats a quarter of them, then {q} takes a third of those
    still there. How many pieces remain on the table?
    - {p} eats {n * 12} / 4 = {n * 3} pieces and leaves {n * 12} - {n * 3} = {n * 9}.
    - {q} takes {n * 9} / 3 = {n * 3}.
    - {n * 9} - {n * 3} = {n * 6} pieces remain.
    = {n * 12 * 3 * 2 // 12}"""
    n, k = r.roll(3, 8), r.roll(4, 6)
    yield f"""Sailors cut a rope of {n * (k + 1)} meters in two so that one piece is {k} times as long as the other.
    They tie the long piece to the mast. How many meters longer is it than the short one?
    - The rope is as long as {k} + 1 = {k + 1} short pieces.
    - The short piece measures {n * (k + 1)} / {k + 1} = {n} meters.
    - The long piece measures {k} * {n} = {k * n} meters.
    - The difference is {k * n} - {n} = {k * n - n} meters.
    = {next(k * x - x for x in range(1, 99) if x + k * x == n * (k + 1))}"""


@shape("percent-change", held_out=2)
def percent_change(r: Draw) -> Iterator[str]:
    x, t = r.roll(200, 600, 50), r.pick(4, 6, 10, 12)
    yield f"""The monthly rent of a {r.pick("workshop", "studio", "market hall stall")} was ${x}. In January it rises
    by {t}%. What is the new rent?
    - The increase is ${x} * {t} / 100 = {usd(x * t)}.
    - The new rent is ${x} + {usd(x * t)} = {usd(x * (100 + t))}.
    = {usd(x * 100 + x * t)}"""
    n, t = r.roll(40, 120, 20), r.pick(5, 15, 20, 25, 35)
    yield f"""A {r.pick("bookshop", "garage", "bakery")} served {n * 5} customers in April and
    {n * 5 + n * 5 * t // 100} in May. By what percentage did the number grow?
    - There were {n * 5 + n * 5 * t // 100} - {n * 5} = {n * 5 * t // 100} more customers in May.
    - One percent of April's number is {n * 5} / 100 = {num(n * 5, 100)}.
    - The growth is {n * 5 * t // 100} / {num(n * 5, 100)} = {t} percent.
    = {num(((n * 5 + n * 5 * t // 100) - n * 5) * 100, n * 5)}"""
    x, s, t = r.roll(100, 400, 100), r.pick(10, 20, 30), r.pick(10, 20)
    thing = r.pick("projector", "treadmill", "guitar")
    yield f"""In spring a shop raised the price of a {thing} from ${x} by {s}%. In autumn it lowered the new price by
    {t}%. What does the {thing} cost after that?
    - The rise is ${x} * {s} / 100 = ${x * s // 100}.
    - In spring the price becomes ${x} + ${x * s // 100} = ${(y := x + x * s // 100)}.
    - The autumn cut is ${y} * {t} / 100 = ${y * t // 100}.
    - Now it costs ${y} - ${y * t // 100} = ${y - y * t // 100}.
    = {num(x * (100 + s) * (100 - t), 10000)}"""
    n, s, t, k = r.roll(2, 5) * 100, 20, r.pick(5, 10), r.pick(3, 6)
    u = n + n * s // 100
    v = u - u * t // 100
    yield f"""A weekly newsletter had {n} readers. After a radio show their number rose by {s}%, and when it began to
    cost money it fell by {t}%. Those who stayed pay ${k} a month. The editor spends a third of the income on printing
    and posts every issue on a Sunday. How much is spent on printing each month?
    - The radio show brought {n} * {s} / 100 = {n * s // 100} readers.
    - That made {n} + {n * s // 100} = {u}.
    - The fee drove away {u} * {t} / 100 = {num(u * t, 100)}.
    - {u} - {num(u * t, 100)} = {v} stayed.
    - They pay {v} * ${k} = {usd(v * k * 100)} a month.
    - Printing takes {usd(v * k * 100)} / 3 = {usd(v * k * 100 // 3)}.
    = {usd(n * (100 + s) * (100 - t) * k // 300)}"""
    x, t, n = r.roll(50, 90, 10), r.pick(10, 20, 30), r.roll(3, 6)
    yield f"""A dryer used {x} kWh of electricity a month. The new one uses {t}% less. At 30 cents per kWh, how many
    dollars does the household save in {n} months?
    - Each month the new dryer uses {x} * {t} / 100 = {num(x * t, 100)} kWh less.
    - In {n} months that is {n} * {num(x * t, 100)} = {num(n * x * t, 100)} kWh.
    - The saving is {num(n * x * t, 100)} * 0.30 = {num(n * x * t * 3, 1000)} dollars.
    = {num(x * t * n * 30, 10000)}"""
    x, d = r.roll(30, 60, 5), r.pick(20, 40)
    yield f"""A wool scarf shrank by {d}% in the wash and is now {x * 4 * (100 - d) // 100} cm long. How many
    centimeters did it lose?
    - What is left is 100 - {d} = {100 - d} percent of the old length.
    - One percent is {x * 4 * (100 - d) // 100} / {100 - d} = {num(x * 4, 100)} cm.
    - It lost {d} * {num(x * 4, 100)} = {num(x * 4 * d, 100)} cm.
    = {num(x * 4 * d, 100)}"""


@shape("ratio")
def ratio(r: Draw) -> Iterator[str]:
    (a, b), x = r.pick((2, 3), (3, 4), (3, 5), (2, 5)), r.roll(12, 40, 4)
    p, q = r.person(), r.person()
    yield f"""{p} and {q} share ${(a + b) * x} from a {r.pick("garage sale", "street concert", "car wash")} in the
    ratio {a} to {b}. How much does {q}, who gets the larger part, receive?
    - There are {a} + {b} = {a + b} parts.
    - One part is ${(a + b) * x} / {a + b} = ${x}.
    - {q} receives {b} * ${x} = ${b * x}.
    = {(a + b) * x * b // (a + b)}"""
    a, b, x = r.roll(2, 3), r.roll(4, 6), r.roll(3, 8)
    yield f"""A mason mixes cement and sand in the ratio {a} to {b + 1}. He has put {a * x} shovels of cement into the
    mixer. How many shovels are in it once the sand has been added?
    - {a * x} shovels are {a} parts, so one part is {a * x} / {a} = {x} shovels.
    - The sand takes {b + 1} * {x} = {(b + 1) * x} shovels.
    - In the mixer are {a * x} + {(b + 1) * x} = {(a + b + 1) * x} shovels.
    = {(a + b + 1) * x}"""
    a, b, x = r.roll(6, 8), r.roll(2, 4), r.roll(6, 14)
    yield f"""In a {r.pick("chess club", "choir", "judo club")} there are {a} adults for every {b} children, and
    {(a - b) * x} more adults than children. How many members does it have?
    - The difference is {a} - {b} = {a - b} parts.
    - One part is {(a - b) * x} / {a - b} = {x} members.
    - All {a} + {b} = {a + b} parts are {a + b} * {x} = {(a + b) * x} members.
    = {a * x + b * x}"""
    a, b, c, x = r.roll(2, 3), r.roll(4, 5), r.roll(1, 2), r.roll(20, 50, 10)
    p, q, s = r.person(), r.person(), r.person()
    k = r.roll(1, 2) * 10
    yield f"""Three partners, {p}, {q} and {s}, own shares of a food truck in the ratio {a} : {b} : {c}. This month's
    profit is ${num((a + b + c) * x * 4)}, but ${num(4 * k)} of {q}'s money goes to {p}, who lent a generator. The
    truck is six years old. How much does {p} end up with?
    - There are {a} + {b} + {c} = {a + b + c} shares.
    - One share is ${num((a + b + c) * x * 4)} / {a + b + c} = ${x * 4}.
    - {p}'s own part is {a} * ${x * 4} = ${a * x * 4}.
    - With the generator money it is ${a * x * 4} + ${4 * k} = ${a * x * 4 + 4 * k}.
    = {(a * x + k) * 4}"""
    a, b, x = r.roll(3, 4), r.roll(5, 7), r.roll(4, 9)
    yield f"""Red and white tulips were planted {a} to {b}, {(a + b) * x} bulbs in all. Then {x} more red ones were
    added. How many white tulips are there for every {a + 1} red ones now?
    - One part is {(a + b) * x} / ({a} + {b}) = {x} bulbs.
    - There are {a} * {x} = {a * x} red and {b} * {x} = {b * x} white bulbs at first.
    - The red ones grow to {a * x} + {x} = {(a + 1) * x}.
    - {a + 1} red ones make {(a + 1) * x} / {a + 1} = {x} groups.
    - For each group there are {b * x} / {x} = {b} white tulips.
    = {num(b * x * (a + 1), (a + 1) * x)}"""
    n, x = r.roll(2, 4), r.roll(3, 6)
    yield f"""On a map, {n} cm stand for {n * 5} km. The distance between two
    {r.pick("lakes", "monasteries", "stations")} on it is {x * 2 + 1} cm. How many kilometers apart are they really?
    - One centimeter stands for {n * 5} / {n} = 5 km.
    - {x * 2 + 1} cm stand for {x * 2 + 1} * 5 = {x * 10 + 5} km.
    = {(x * 2 + 1) * n * 5 // n}"""


@shape("recipe")
def recipe(r: Draw) -> Iterator[str]:
    n, k, x = r.roll(4, 6), r.roll(2, 4), r.roll(60, 90, 5)
    dish, dry = r.pick(("risotto", "rice"), ("dal", "lentils"), ("tabbouleh", "bulgur"))
    yield f"""A recipe for {dish} serves {n} and asks for {x * n} g of {dry}. How many grams do you need for {n * k}
    guests?
    - {n * k} guests are {n * k} / {n} = {k} times as many.
    - You need {k} * {x * n} = {num(k * x * n)} g.
    = {num(x * n * k)}"""
    n, m, x, p = 12, r.pick(30, 36, 42), r.roll(4, 6) * 6, r.person()
    yield f"""{p}'s recipe makes {n} {r.pick("scones", "muffins", "waffles")} from {x * 10} g of flour and 2 eggs. {p}
    wants to make {m}. How many grams of flour are needed?
    - One piece takes {x * 10} / {n} = {x * 10 // n} g of flour.
    - {m} pieces take {m} * {x * 10 // n} = {m * x * 10 // n} g.
    = {num(m * x * 10, n)}"""
    k, a, b = r.roll(5, 9), r.roll(2, 3), r.roll(4, 6)
    yield f"""For a fruit punch, {a} cups of juice go with {b} cups of water and 1 cup of sugar. A pitcher holds
    exactly one such batch. For a street party {k} pitchers are wanted, but half the sugar is to be left out. How many
    cups of all ingredients are needed?
    - The juice is {k} * {a} = {k * a} cups.
    - The water is {k} * {b} = {k * b} cups.
    - Half the sugar is {k} / 2 = {num(k, 2)} cups.
    - Altogether {k * a} + {k * b} + {num(k, 2)} = {num(2 * k * (a + b) + k, 2)} cups are needed.
    = {num(k * (2 * a + 2 * b + 1), 2)}"""
    n, x, y, p = r.roll(3, 5), r.roll(150, 250, 50), r.roll(3, 4), r.person()
    yield f"""{p} has {n * x + x // 2} g of cocoa. One batch of brownies takes {x} g of cocoa and {y} eggs, and only
    whole batches are worth the trouble. How many eggs will {p.he} use if {p.he} bakes as many batches as the cocoa
    allows?
    - {n} batches take {n} * {x} = {n * x} g of cocoa.
    - Then {n * x + x // 2} - {n * x} = {x // 2} g are left, too little for another batch.
    - {n} batches use {n} * {y} = {n * y} eggs.
    = {(n * x + x // 2) // x * y}"""
    a, b, c = r.roll(300, 500, 100), r.pick(150, 250), r.pick(80, 120)
    yield f"""A canteen cook triples a soup: per pot {a} g of lentils, {b} g of carrots and {c} g of onions. Cleaning
    the carrots wastes 10 g per pot, which has to be bought as well. How many grams of vegetables and lentils are
    bought, if there are already 200 g of lentils in the cupboard?
    - Three pots need 3 * {a} = {num(3 * a)} g of lentils.
    - Of these {num(3 * a)} - 200 = {num(3 * a - 200)} g must be bought.
    - With the waste, carrots are {b} + 10 = {b + 10} g a pot.
    - That makes 3 * {b + 10} = {3 * b + 30} g of carrots.
    - The onions are 3 * {c} = {3 * c} g.
    - The cook buys {num(3 * a - 200)} + {3 * b + 30} + {3 * c} = {num(3 * (a + b + c) - 170)} g.
    = {num((a + b + 10 + c) * 3 - 200)}"""
    a, k, n, p = r.roll(14, 18, 2), r.roll(20, 30, 5), r.roll(3, 5), r.person()
    yield f"""{p} fills each dumpling with {a} g of cabbage, and every guest gets {n + 3} dumplings. For {k} guests,
    how many kilograms of cabbage does {p.he} need?
    - {k} guests get {k} * {n + 3} = {k * (n + 3)} dumplings.
    - They take {k * (n + 3)} * {a} = {num(k * (n + 3) * a)} g.
    - That is {num(k * (n + 3) * a)} / 1,000 = {num(k * (n + 3) * a, 1000)} kg.
    = {num(k * a * (n + 3), 1000)}"""


@shape("mixture", held_out=2)
def mixture(r: Draw) -> Iterator[str]:
    x, y, n, m = r.roll(8, 12), r.roll(14, 20, 2), r.roll(2, 4), r.roll(2, 4)
    yield f"""A {r.pick("tea", "coffee")} merchant blends {n} kg of a sort at ${x} a kilo with {m} kg of one at ${y}.
    What is the whole blend worth?
    - The first sort is worth {n} * ${x} = ${n * x}.
    - The second is worth {m} * ${y} = ${m * y}.
    - The blend is worth ${n * x} + ${m * y} = ${n * x + m * y}.
    = {(n + m) * x + m * (y - x)}"""
    a, t, b = r.pick(200, 300, 400), r.pick(10, 15, 20), r.pick(100, 200)
    yield f"""{a} ml of syrup contain {t}% sugar by volume. If {b} ml of a second syrup with {t + 10}% sugar are
    stirred in, how many milliliters of sugar does the mixture contain?
    - The first syrup contains {a} * {t} / 100 = {a * t // 100} ml of sugar.
    - The second contains {b} * {t + 10} / 100 = {b * (t + 10) // 100} ml.
    - Together that is {a * t // 100} + {b * (t + 10) // 100} = {(a * t + b * (t + 10)) // 100} ml.
    = {num((a + b) * t + 10 * b, 100)}"""
    n, (t, u) = r.roll(4, 8), r.pick((40, 20), (50, 25), (60, 20), (60, 30))
    yield f"""A painter has {n} liters of a varnish that is {t}% solvent. Water is added until only {u}% of the
    mixture is solvent. How many liters of water are added?
    - The varnish contains {n} * {t} / 100 = {num(n * t, 100)} liters of solvent.
    - In the mixture this amount is {u}%, so the mixture measures {num(n * t, 100)} * 100 / {u} = {num(n * t, u)}
    liters.
    - The added water is {num(n * t, u)} - {n} = {num(n * t - n * u, u)} liters.
    = {num(n * (t - u), u)}"""
    a, b, c, x, y, z = 2, r.roll(3, 4), 1, r.roll(10, 14, 2), r.roll(6, 9), r.roll(15, 20)
    g = r.roll(2, 5)
    yield f"""{r.person()} sells trail mix made of {a} parts nuts, {b} parts raisins and {c} part chocolate, by
    weight. Nuts cost ${x} a kilo, raisins ${y} and chocolate ${z}. A sack of {(a + b + c) * g} kg is mixed. What do
    the ingredients cost?
    - The mix has {a} + {b} + {c} = {a + b + c} parts.
    - One part weighs {(a + b + c) * g} / {a + b + c} = {g} kg.
    - The nuts weigh {a} * {g} = {a * g} kg and cost {a * g} * ${x} = ${a * g * x}.
    - The raisins weigh {b} * {g} = {b * g} kg and cost {b * g} * ${y} = ${b * g * y}.
    - The chocolate weighs {g} kg and costs {g} * ${z} = ${g * z}.
    - All the ingredients cost ${a * g * x} + ${b * g * y} + ${g * z} = ${g * (a * x + b * y + z)}.
    = {g * (a * x + b * y + c * z)}"""
    n, k = r.roll(3, 6), r.roll(1, 2)
    yield f"""Dark green paint is made of 3 parts blue and 2 parts yellow. {r.person()} has mixed {n * 5} liters, but
    it is too dark, so {k} more {"liter of yellow is" if k == 1 else "liters of yellow are"} added. How many liters of
    blue beyond those of yellow are in the paint now?
    - One part is {n * 5} / 5 = {n} liters.
    - There are 3 * {n} = {3 * n} liters of blue.
    - Of yellow there are now 2 * {n} + {k} = {2 * n + k} liters.
    - The surplus of blue is {3 * n} - {2 * n + k} = {count(n - k, "liter")}.
    = {n - k}"""
    n, t, u = r.roll(2, 4), r.pick(60, 70, 80), r.pick(10, 15, 20)
    yield f"""For a foot bath, {n} liters of water at {t} degrees are poured into {n} liters at {u} degrees. The
    temperature of equal amounts settles at the mean of the two. By how many degrees does the cooler water warm up?
    - The two temperatures add up to {t} + {u} = {t + u}.
    - Their mean is {t + u} / 2 = {num(t + u, 2)} degrees.
    - The cooler water warms up by {num(t + u, 2)} - {u} = {num(t - u, 2)} degrees.
    = {num(t - u, 2)}"""


@shape("reverse")
def reverse(r: Draw) -> Iterator[str]:
    n, k, p = r.roll(8, 20), r.roll(3, 7), r.person()
    thing = r.pick("marbles", "stickers", "seashells")
    yield f"""{p} gave half of {p.his} {thing} to a cousin and then lost {k}. Now there are {n}. How many {thing} did
    {p} have at first?
    - Before the loss there were {n} + {k} = {n + k}.
    - That was half, so at first there were {n + k} * 2 = {2 * (n + k)}.
    = {next(x for x in range(2, 999, 2) if x // 2 - k == n)}"""
    x, a, b = r.roll(4, 12), r.roll(3, 6), r.roll(5, 15)
    yield f""""Think of a number, multiply it by {a}, add {b}, and tell me the result," says {r.person()}. The result
    turns out to be {a * x + b}. What was the number?
    - Before adding, the result was {a * x + b} - {b} = {a * x}.
    - Before multiplying, it was {a * x} / {a} = {x}.
    = {next(v for v in range(99) if a * v + b == a * x + b)}"""
    n, k, m = r.roll(6, 12), r.roll(4, 8), r.roll(9, 16)
    start = 2 * (n + k) - m
    yield f"""At the first stop {m} people got on a bus. At the second, half of all the passengers got off, and at the
    third another {k} did. The driver then counted {n} passengers. How many had been on the bus before the first stop?
    - Before the third stop there were {n} + {k} = {n + k} passengers.
    - Before the second there were twice as many: 2 * {n + k} = {2 * (n + k)}.
    - Before the first stop there were {2 * (n + k)} - {m} = {start}.
    = {next(x for x in range(999) if (x + m) - 2 * k == 2 * n)}"""
    a, x, f = r.roll(8, 14), r.roll(5, 9), r.roll(2, 4)
    p = r.person()
    yield f"""{p} came home from a day in {r.pick("Lisbon", "Galway", "Ghent")} with €{a}. The last thing {p.he}
    bought was an ice cream for €{f}. Before that {p.he} had spent half of {p.his} money on dinner, and first of all
    €{x + 6} on a train ticket and as much again on a museum pass. How much money did {p.he} set out with?
    - Before the ice cream there were {a} + {f} = {a + f} euros.
    - Before dinner there were 2 * {a + f} = {2 * (a + f)} euros.
    - Ticket and pass cost 2 * {x + 6} = {2 * (x + 6)} euros.
    - {p} set out with {2 * (a + f)} + {2 * (x + 6)} = {2 * (a + f + x + 6)} euros.
    = {2 * a + 2 * f + 2 * x + 12}"""
    n, k = r.roll(3, 7), r.roll(2, 5)
    p, q, s = r.person(), r.person(), r.person()
    yield f"""A bowl of {r.pick("walnuts", "candies", "dates")} goes around. {p} takes half of what is in it and 1
    more. {q} takes half of what is then left and 1 more. {s} does the same, and {n} remain. How many were in the
    bowl?
    - Before {s} took the extra one, there were {n} + 1 = {n + 1}.
    - {s} found 2 * {n + 1} = {2 * n + 2} in the bowl.
    - Before {q} took the extra one, there were {2 * n + 2} + 1 = {2 * n + 3}.
    - {q} found 2 * {2 * n + 3} = {4 * n + 6}.
    - Before {p} took the extra one, there were {4 * n + 6} + 1 = {4 * n + 7}.
    - At first the bowl held 2 * {4 * n + 7} = {8 * n + 14}.
    = {next(x for x in range(999) if x % 2 == 0 and ((x / 2 - 1) / 2 - 1) / 2 - 1 == n)}"""
    x, k, w = r.roll(30, 60, 4), r.roll(3, 8), r.roll(5, 9)
    yield f"""A climbing plant doubled its height in May. In June it grew {k} cm, and in July a storm broke {w} cm off
    the top. It is now {2 * x + k - w} cm tall. How tall, in centimeters, was it at the beginning of May?
    - Before the storm it was {2 * x + k - w} + {w} = {2 * x + k} cm tall.
    - At the end of May it was {2 * x + k} - {k} = {2 * x} cm tall.
    - At the beginning it was {2 * x} / 2 = {x} cm tall.
    = {next(h for h in range(999) if 2 * h + k - w == 2 * x + k - w)}"""


@shape("population")
def population(r: Draw) -> Iterator[str]:
    x, b, d, m = r.roll(2200, 4800, 100), r.roll(30, 60), r.roll(20, 29), r.roll(40, 90)
    yield f"""The town of {r.pick("Almira", "Vessby", "Corvale")} had {num(x)} inhabitants. In one year {b} babies
    were born, {d} people died and {m} moved there; nobody left. How many inhabitants did it have then?
    - Births and newcomers add {b} + {m} = {b + m} people.
    - With the deaths the town grows by {b + m} - {d} = {b + m - d}.
    - It then had {num(x)} + {b + m - d} = {num(x + b + m - d)} inhabitants.
    = {num(x + b - d + m)}"""
    x = r.roll(40, 90, 10)
    yield f"""A laboratory dish holds {x} bacteria, and their number doubles every hour. How many are there after
    three hours?
    - After one hour there are {x} * 2 = {2 * x}.
    - After two hours there are {2 * x} * 2 = {4 * x}.
    - After three hours there are {4 * x} * 2 = {8 * x}.
    = {x << 3}"""
    x, t, k = r.roll(2000, 4000, 1000), r.pick(10, 20), r.roll(20, 60, 10)
    yield f"""A nature reserve counted {num(x)} flamingos. The year after there were {t}% fewer, and in the third year
    {k} more than in the second. How many were counted in the third year?
    - The loss was {num(x)} * {t} / 100 = {num(x * t // 100)} birds.
    - In the second year there were {num(x)} - {num(x * t // 100)} = {num(x - x * t // 100)}.
    - In the third year there were {num(x - x * t // 100)} + {k} = {num(x - x * t // 100 + k)}.
    = {num(x * (100 - t) // 100 + k)}"""
    a, b, n, k = r.roll(300, 500, 20), r.roll(12, 18), r.roll(4, 8), r.roll(20, 26)
    start = a + (k + b) * n
    yield f"""An island village with {start} people loses {b} every year to the mainland, while a fishing port with
    {a} people gains {k} every year. After how many years are the two equally large?
    - At present the village is larger by {start} - {a} = {start - a}.
    - Each year the gap shrinks by {b} + {k} = {b + k}.
    - It is gone after {start - a} / {b + k} = {n} years.
    = {next(y for y in range(99) if start - b * y <= a + k * y)}"""
    x, n, k, e = r.roll(24, 40, 8), r.roll(5, 8), r.roll(3, 4), r.roll(10, 20)
    yield f"""On a rabbit farm half of the {x} adult rabbits are females. Each female has {n} young in spring. A
    quarter of the {x // 2 * n} young are sold at the market, {e} go to a petting zoo, and the farm keeps the rest
    together with its adults. How many rabbits are on the farm then?
    - There are {x} / 2 = {x // 2} females.
    - They have {x // 2} * {n} = {x // 2 * n} young.
    - The market takes {x // 2 * n} / 4 = {num(x * n, 8)}.
    - {x // 2 * n} - {num(x * n, 8)} = {num(3 * x * n, 8)} young are left.
    - After the petting zoo there are {num(3 * x * n, 8)} - {e} = {num(3 * x * n - 8 * e, 8)}.
    - With the adults that makes {num(3 * x * n - 8 * e, 8)} + {x} = {num(3 * x * n - 8 * e + 8 * x, 8)} rabbits.
    = {num(3 * x * n + 8 * x - 8 * e, 8)}"""
    a, k, s = r.roll(24, 36), r.roll(5, 9), r.roll(12, 20)
    yield f"""Five years ago a school had {a * 10} pupils. Since then each year {k + s} have joined and {s} have left.
    How many pupils does it have today?
    - Each year the school gains {k + s} - {s} = {k}.
    - In five years that is 5 * {k} = {5 * k} pupils.
    - Today it has {a * 10} + {5 * k} = {a * 10 + 5 * k} pupils.
    = {a * 10 + 5 * (k + s) - 5 * s}"""
