"""Comparing, packing, arranging and counting."""

from collections.abc import Iterator
from itertools import combinations as choose
from math import comb, perm

from ..draw import Draw
from ..problem import shape
from ..words import count, num


@shape("comparison")
def comparison(r: Draw) -> Iterator[str]:
    p, q, x, k, m = r.person(), r.person(), r.roll(14, 40), r.roll(3, 5), r.roll(5, 13)
    thing = r.pick("fossils", "postage stamps", "vinyl records")
    yield f"""{p} owns {x} {thing}. {q} owns {k} times as many, less {m}. How many do they own together?
    - {k} times {p}'s number is {k} * {x} = {k * x}.
    - {q} owns {k * x} - {m} = {k * x - m}.
    - Together they own {x} + {k * x - m} = {(k + 1) * x - m}.
    = {x * (k + 1) - m}"""
    x, a, b = r.roll(160, 240), r.roll(12, 25), r.roll(30, 48)
    yield f"""The oldest oak in the park is {a} years older than the lime tree. The lime tree is {b} years older than
    the maple, which is {x - 100}. How old is the oak?
    - The lime tree is {x - 100} + {b} = {x - 100 + b} years old.
    - The oak is {x - 100 + b} + {a} = {x - 100 + b + a} years old.
    = {a + b + x - 100}"""
    x, k, d = r.roll(8, 16), r.roll(3, 5), r.roll(4, 9)
    p, q, s = r.person(), r.person(), r.person()
    yield f"""In a {r.pick("spelling contest", "litter collection", "table quiz")} {p} scored {k} times as many points
    as {q}, and {s} scored {d} points fewer than {p}. {s} got {k * x - d} points. What was {q}'s score?
    - {p} scored {k * x - d} + {d} = {k * x} points.
    - {q} scored {k * x} / {k} = {x}.
    = {next(v for v in range(99) if v * k - d == k * x - d)}"""
    a, b, c, d = r.roll(30, 50, 2), r.roll(5, 12), r.roll(8, 15), r.roll(3, 6)
    yield f"""Four beehives were emptied. The first gave {a} jars of honey. The second gave {b} jars more, and the
    third half as many as the first. The fourth gave {c} fewer than the second. A jar holds 450 g. {d} jars broke on
    the way. How many whole jars reached the shop?
    - The second hive gave {a} + {b} = {a + b} jars.
    - The third gave {a} / 2 = {a // 2}.
    - The fourth gave {a + b} - {c} = {a + b - c}.
    - The first two gave {a} + {a + b} = {2 * a + b}.
    - All four gave {2 * a + b} + {a // 2} + {a + b - c} = {(t := 3 * a + a // 2 + 2 * b - c)}.
    - {t} - {d} = {t - d} jars reached the shop.
    = {num(7 * a + 4 * b - 2 * c - 2 * d, 2)}"""
    x, k, m = r.roll(60, 90, 5), r.roll(15, 35, 5), r.roll(2, 3)
    yield f"""A cookbook weighs {m * x + k} g more than a pocket guide, and an atlas weighs twice as much as the
    cookbook. If the pocket guide weighs {x + 100} g, what does the atlas weigh in grams?
    - The cookbook weighs {x + 100} + {m * x + k} = {x + 100 + m * x + k} g.
    - The atlas weighs 2 * {x + 100 + m * x + k} = {num(2 * (x + 100 + m * x + k))} g.
    = {num(2 * (m + 1) * x + 200 + 2 * k)}"""
    x, a, p, q = r.roll(12, 20), r.roll(3, 7), r.person(), r.person()
    yield f"""{p} and {q} carried {2 * x + 2 * a} buckets of sand to the
    {r.pick("playground", "dike", "volleyball court")}. {p} carried {2 * a} more than {q}. How many did {p} carry?
    - Without the {2 * a} extra ones both carried the same: {2 * x + 2 * a} - {2 * a} = {2 * x} in all.
    - {q} carried {2 * x} / 2 = {x}.
    - {p} carried {x} + {2 * a} = {x + 2 * a}.
    = {next(v for v in range(999) if v + v - 2 * a == 2 * x + 2 * a)}"""


@shape("leftovers", held_out=2)
def leftovers(r: Draw) -> Iterator[str]:
    n, s, k = r.roll(4, 7), r.pick(42, 48, 52), r.roll(5, 30)
    yield f"""{n * s + k} supporters travel to an away match. A bus has {s} seats. How many buses must the club hire
    so that everybody gets a seat?
    - {n} buses take {n} * {s} = {n * s} supporters.
    - {n * s + k} - {n * s} = {k} supporters are left and need one more bus.
    - The club must hire {n} + 1 = {n + 1} buses.
    = {-(-(n * s + k) // s)}"""
    n, s, k, p = r.roll(8, 15), r.roll(6, 9), r.roll(2, 5), r.person()
    food = r.pick("samosas", "macarons", "spring rolls")
    yield f"""{p} packs {n * s + k} {food} into boxes of {s} and keeps whatever does not fill a box. How many does {p}
    keep?
    - {n} full boxes hold {n} * {s} = {n * s} {food}.
    - {n * s + k} - {n * s} = {k} are not enough for another box, so {p} keeps them.
    = {(n * s + k) % s}"""
    n, w, k, x = r.roll(5, 8), r.pick(300, 400, 500), r.roll(50, 150, 10), r.roll(60, 80, 5)
    yield f"""A freight lift may carry {w} kg at once. A crate weighs {x} kg. At most how many crates can ride in {n}
    trips if no person goes with them?
    - In one trip {w // x} crates weigh {w // x} * {x} = {w // x * x} kg.
    - One more would make {w // x * x} + {x} = {w // x * x + x} kg, which is too much.
    - In {n} trips {n} * {w // x} = {n * (w // x)} crates can ride.
    = {sum(max(c for c in range(99) if c * x <= w) for _ in range(n))}"""
    a, b, k = r.such(lambda: (r.roll(7, 12), r.roll(4, 6), r.roll(5, 8)), lambda v: (v[0] * v[1] + v[2]) % 8 > 0)
    g = a * b + k
    yield f"""{a} families of {b} and {k} single guests are coming to a village feast. Three musicians eat at a small
    table of their own. All other tables seat 8, and as few of them as possible are to be set up. How many tables are
    there in the end?
    - The families bring {a} * {b} = {a * b} people.
    - With the single guests there are {a * b} + {k} = {g}.
    - {g // 8} full tables seat {g // 8} * 8 = {g // 8 * 8} of them.
    - That leaves {g} - {g // 8 * 8} = {count(g % 8, "guest")}.
    - They need a table as well: {g // 8} + 1 = {g // 8 + 1}.
    - With the musicians' table there are {g // 8 + 1} + 1 = {g // 8 + 2} tables.
    = {-(-(a * b + k) // 8) + 1}"""
    m, s, k = r.roll(3, 6), r.pick(24, 30, 36), r.roll(4, 15)
    yield f"""Cough drops come in tins of {s}. A choir of {m * s - k} singers wants to give one drop to everybody. How
    many drops will be left over if as few tins as possible are bought?
    - {m - 1} tins hold only {m - 1} * {s} = {(m - 1) * s} drops, so {m} tins are needed.
    - They hold {m} * {s} = {m * s} drops.
    - {m * s} - {m * s - k} = {k} drops are left over.
    = {-(m * s - k) % s}"""
    n, s, k, p = r.roll(6, 9), r.pick(25, 35, 45), r.roll(5, 20, 5), r.person()
    yield f"""From a ribbon of {n * s + k} cm {p} cuts pieces of {s} cm for
    {r.pick("bookmarks", "bouquets", "medals")}. How many centimeters of ribbon are wasted?
    - {n} pieces use {n} * {s} = {n * s} cm.
    - What is wasted is {n * s + k} - {n * s} = {k} cm.
    = {(n * s + k) % s}"""


@shape("packaging")
def packaging(r: Draw) -> Iterator[str]:
    a, b, n = r.roll(6, 12, 2), r.roll(8, 15), r.roll(3, 6)
    yield f"""A carton holds {b} boxes, and a box holds {a} {r.pick("candles", "light bulbs", "tea glasses")}. A shop
    orders {n} cartons. How many single pieces is that?
    - A carton holds {b} * {a} = {b * a} pieces.
    - {n} cartons hold {n} * {b * a} = {n * b * a} pieces.
    = {a * n * b}"""
    n, m, x = r.roll(5, 9), r.roll(4, 7), r.roll(2, 5)
    yield f"""A farmer has {n * 12 + m * 6 + x} eggs. She fills {n} cartons of twelve and as many cartons of six as
    she can, and scrambles the rest if it is fewer than six. How many cartons of six does she fill?
    - The large cartons hold {n} * 12 = {n * 12} eggs.
    - {n * 12 + m * 6 + x} - {n * 12} = {m * 6 + x} eggs are left.
    - {m} small cartons take {m} * 6 = {m * 6} of them.
    - The last {m * 6 + x} - {m * 6} = {x} are scrambled.
    - So all the eggs in cartons of six number {m * 6}, which makes {m * 6} / 6 = {m} cartons.
    = {(m * 6 + x) // 6}"""
    w, n, k = r.pick(250, 350, 450), r.roll(8, 12, 2), r.roll(150, 300, 50)
    yield f"""A parcel contains {n} jars of {w} g each. The empty box weighs {k} g, and the paper around each jar 10
    g. What does the whole parcel weigh, in kilograms?
    - A jar with its paper weighs {w} + 10 = {w + 10} g.
    - All of them weigh {n} * {w + 10} = {num(n * (w + 10))} g.
    - With the box that is {num(n * (w + 10))} + {k} = {num(n * (w + 10) + k)} g.
    - In kilograms it is {num(n * (w + 10) + k)} / 1,000 = {num(n * (w + 10) + k, 1000)}.
    = {num(n * w + n * 10 + k, 1000)}"""
    a, b, n, d, k = r.roll(4, 6), r.roll(5, 8), r.roll(3, 5), r.roll(5, 12), r.roll(2, 3)
    yield f"""A florist's van brings {n} trays, each with {a} rows of {b} pansies. {d} plants are wilted. The rest are
    put into window boxes, {k + 2} to a box, and a spare bag of soil is sold for $6. How many window boxes can be
    completely planted?
    - A tray holds {a} * {b} = {a * b} pansies.
    - The van brings {n} * {a * b} = {n * a * b}.
    - {n * a * b} - {d} = {(g := n * a * b - d)} are fit to be planted.
    - Filling {g // (k + 2)} boxes takes {g // (k + 2)} * {k + 2} = {g // (k + 2) * (k + 2)} plants.
    - {g} - {g // (k + 2) * (k + 2)} = {g % (k + 2)} would be left over, fewer than a box needs.
    - So the number of full boxes is {g // (k + 2) * (k + 2)} / {k + 2} = {g // (k + 2)}.
    = {(n * a * b - d) // (k + 2)}"""
    n, a, b = r.roll(6, 9), r.roll(3, 5), r.roll(2, 4)
    p = r.person()
    yield f"""{p} fills party bags for {n} children. Into each go {a} {r.pick("balloons", "bouncy balls", "crayons")}
    and {b} bars of nougat. The first are sold in packs of 10, the bars one by one. How many bars and packs does {p}
    buy in all?
    - The children get {n} * {a} = {n * a} of the first, so {-(-n * a // 10)} packs are needed.
    - They get {n} * {b} = {n * b} bars.
    - {p} buys {n * b} + {-(-n * a // 10)} = {n * b - (-n * a // 10)} bars and packs.
    = {n * b + (n * a + 9) // 10}"""
    a, b, h = r.roll(3, 5), r.roll(4, 6), r.roll(4, 6)
    yield f"""Shoe boxes are stacked on a pallet in {h} layers, each of {a} rows with {b} boxes. Two layers are lifted
    off by a forklift. How many boxes are still on the pallet, if one from the top layer had already been missing?
    - A layer has {a} * {b} = {a * b} boxes.
    - {h} - 2 = {count(h - 2, "layer")} remain complete, as the missing box was in the top layer.
    - On the pallet are {h - 2} * {a * b} = {(h - 2) * a * b} boxes.
    = {h * a * b - 2 * a * b}"""


@shape("combinations", held_out=2)
def combinations(r: Draw) -> Iterator[str]:
    a, b, c = r.roll(3, 5), r.roll(3, 6), r.roll(2, 3)
    yield f"""A lunch menu offers {a} soups, {b} main dishes and {c} desserts. How many different lunches of one soup,
    one main dish and one dessert are possible?
    - Soup and main dish can be combined in {a} * {b} = {a * b} ways.
    - With a dessert there are {a * b} * {c} = {a * b * c} lunches.
    = {len([1 for _ in range(a) for _ in range(b) for _ in range(c)])}"""
    n = r.roll(6, 12)
    yield f"""{n} {r.pick("chess players", "fencers", "table tennis players")} hold a tournament in which everybody
    meets everybody else exactly once. How many games are played?
    - Each of the {n} meets {n} - 1 = {n - 1} others.
    - That is {n} * {n - 1} = {n * (n - 1)}, with every game counted twice.
    - So {n * (n - 1)} / 2 = {n * (n - 1) // 2} games are played.
    = {len(list(choose(range(n), 2)))}"""
    n, p = r.roll(4, 6), r.person()
    names = r.pick("photographs", "tiles", "flags")
    yield f"""{p} wants to hang {n} different {names} side by side, with {p.his} favorite at the far left. In how many
    orders can they hang?
    - The favorite has its place, so {n} - 1 = {n - 1} are left to arrange.
    - For these there are {" * ".join(str(v) for v in range(n - 1, 0, -1))} = {perm(n - 1)} orders.
    = {perm(n) // n}"""
    a, b, k = r.roll(4, 6), r.roll(3, 5), r.roll(1, 2)
    yield f"""A locker code has one letter out of {a} and then two different digits out of {b + 2}. {k * 5} codes are
    kept for the staff. How many are there for guests?
    - The first digit can be chosen in {b + 2} ways, the second in {b + 2} - 1 = {b + 1} ways.
    - That gives {b + 2} * {b + 1} = {(b + 2) * (b + 1)} pairs of digits.
    - With a letter there are {a} * {(b + 2) * (b + 1)} = {a * (b + 2) * (b + 1)} codes.
    - For guests {a * (b + 2) * (b + 1)} - {k * 5} = {a * (b + 2) * (b + 1) - k * 5} are left.
    = {a * perm(b + 2, 2) - 5 * k}"""
    a, b, c = r.roll(2, 4), r.roll(2, 3), r.roll(2, 4)
    p = r.person()
    yield f"""From home, {p} can walk to the station by {a} streets. From there {b} bus lines and {c} tram lines go to
    the office. How many ways are there to get to work?
    - From the station there are {b} + {c} = {b + c} lines to choose from.
    - With the streets that makes {a} * {b + c} = {a * (b + c)} ways.
    = {a * b + a * c}"""
    n = r.roll(6, 9)
    yield f"""Out of {n} {r.pick("nurses", "pilots", "rangers")} three are on duty on New Year's Eve. How many
    different groups of three can be chosen?
    - Picking one after the other, there are {n} * {n - 1} * {n - 2} = {perm(n, 3)} ways.
    - The same three people can be picked in 3 * 2 * 1 = 6 orders.
    - So there are {perm(n, 3)} / 6 = {comb(n, 3)} groups.
    = {len(list(choose(range(n), 3)))}"""


@shape("pattern")
def pattern(r: Draw) -> Iterator[str]:
    a, d, n = r.roll(3, 12), r.roll(3, 7), r.roll(8, 15)
    yield f"""In a theater the first row has {a + 10} seats and every row behind it has {d} more than the one in
    front. How many seats are in row {n}?
    - From row 1 to row {n} there are {n} - 1 = {n - 1} steps.
    - They add {n - 1} * {d} = {(n - 1) * d} seats.
    - Row {n} has {a + 10} + {(n - 1) * d} = {a + 10 + (n - 1) * d} seats.
    = {list(range(a + 10, 9999, d))[n - 1]}"""
    k, a, b, c = r.roll(4, 9), r.roll(2, 3), r.roll(2, 4), r.roll(1, 2)
    yield f"""A bead chain repeats the same group: {a} red, {b} white and {c}
    {"black bead" if c == 1 else "black beads"}. The whole chain is made of {k} such groups and ends with {a} more red
    beads. How many beads does it have?
    - A group has {a} + {b} + {c} = {a + b + c} beads.
    - {k} groups have {k} * {a + b + c} = {k * (a + b + c)}.
    - The chain has {k * (a + b + c)} + {a} = {k * (a + b + c) + a} beads.
    = {(k + 1) * a + k * b + k * c}"""
    n, k = r.roll(5, 8), r.pick(3, 4, 6)
    yield f"""Matchsticks are laid in a row of squares, so that neighboring squares share a stick. The first square
    takes four sticks. How many sticks does a row of {n * k} squares take?
    - After the first square there are {n * k} - 1 = {n * k - 1} more.
    - Each of them needs 3 new sticks: {n * k - 1} * 3 = {(n * k - 1) * 3}.
    - The row takes 4 + {(n * k - 1) * 3} = {3 * n * k + 1} sticks.
    = {3 * n * k + 1}"""
    a, n = r.roll(2, 4), 4
    p = r.person()
    yield f"""On Monday {p} tells a rumor to {a} colleagues. On Tuesday each of those tells it to {a} people who do
    not know it yet, and so on every day, only the latest hearers passing it on. How many people apart from {p} have
    heard it by Thursday evening?
    - On Monday {a} hear it.
    - On Tuesday it is {a} * {a} = {a**2} more.
    - On Wednesday it is {a**2} * {a} = {a**3} more.
    - On Thursday it is {a**3} * {a} = {a**4} more.
    - Up to Tuesday that is {a} + {a**2} = {a + a**2} people.
    - Up to Wednesday it is {a + a**2} + {a**3} = {a + a**2 + a**3}.
    - Up to Thursday it is {a + a**2 + a**3} + {a**4} = {a + a**2 + a**3 + a**4}.
    = {(a**5 - a) // (a - 1)}"""
    x, d, n = r.roll(80, 120, 4), r.roll(3, 6), r.roll(6, 10)
    yield f"""A candle {x * 2} mm high burns down by {d} mm every {n - 2} minutes. How high is it, in millimeters,
    after {(n - 2) * 12} minutes?
    - {(n - 2) * 12} minutes are {(n - 2) * 12} / {n - 2} = 12 such stretches.
    - The candle loses 12 * {d} = {12 * d} mm.
    - It is {x * 2} - {12 * d} = {2 * x - 12 * d} mm high.
    = {2 * x - (n - 2) * 12 * d // (n - 2)}"""
    n, t = r.roll(6, 9), r.pick("oranges", "soup tins", "quinces")
    yield f"""A grocer leans a flat triangle of {t} against the wall: one at the top, two below it, three below those,
    and so on. How many {t} are in a triangle of {n} rows?
    - The bottom row has {n}, so top and bottom row together have 1 + {n} = {n + 1}.
    - {n} such pairs of rows would count everything twice: {n} * {n + 1} = {n * (n + 1)}.
    - The triangle has {n * (n + 1)} / 2 = {n * (n + 1) // 2} {t}.
    = {sum(range(1, n + 1))}"""


@shape("consecutive")
def consecutive(r: Draw) -> Iterator[str]:
    x, p = r.roll(12, 60), r.person()
    yield f"""Three neighboring houses on the same side of a street have consecutive even numbers with a sum of
    {6 * x}. {p} lives in the one with the highest number. What is that number?
    - The middle number is the mean of the three: {6 * x} / 3 = {2 * x}.
    - The highest is {2 * x} + 2 = {2 * x + 2}.
    = {next(v for v in range(2, 999, 2) if v + v - 2 + v - 4 == 6 * x)}"""
    x = r.roll(40, 150)
    yield f"""When a book is opened, the two page numbers in view add up to {4 * x + 1}. What is the larger of them?
    - The two numbers differ by 1, so twice the larger is {4 * x + 1} + 1 = {4 * x + 2}.
    - The larger is {4 * x + 2} / 2 = {2 * x + 1}.
    = {next(v for v in range(999) if v + v - 1 == 4 * x + 1)}"""
    x, p = r.roll(5, 18), r.person()
    yield f"""On five days in a row {p} wrote down the date of the day, always within one month. The five numbers add
    up to {5 * x + 10}. What was the first date?
    - The third of the five numbers is the mean: {5 * x + 10} / 5 = {x + 2}.
    - The first date comes two days before: {x + 2} - 2 = {x}.
    = {next(v for v in range(32) if sum(range(v, v + 5)) == 5 * x + 10)}"""
    x, k = r.roll(6, 15), r.pick(3, 4)
    total = 4 * x + k * 6
    yield f"""Four sisters were born {k} years apart. Their ages add up to {total}. The second youngest collects
    bottle caps, one for each year of the ages of the two eldest. How many does she have?
    - Counted from the youngest, the others are {k}, {2 * k} and {3 * k} years older.
    - These differences add up to {k} + {2 * k} + {3 * k} = {6 * k}.
    - Four times the youngest's age is {total} - {6 * k} = {4 * x}.
    - The youngest is {4 * x} / 4 = {x}.
    - The two eldest are {x} + {2 * k} = {x + 2 * k} and {x} + {3 * k} = {x + 3 * k}.
    - She has {x + 2 * k} + {x + 3 * k} = {2 * x + 5 * k} caps.
    = {next(2 * v + 5 * k for v in range(99) if v + v + k + v + 2 * k + v + 3 * k == total)}"""
    x = r.roll(7, 20)
    yield f"""Raffle tickets are numbered without gaps. {r.person()} holds three in a row, and the first and the last
    of them add up to {2 * x * 10 + 2}. What do all three add up to?
    - The middle number is half of that sum: {2 * x * 10 + 2} / 2 = {x * 10 + 1}.
    - All three add up to 3 * {x * 10 + 1} = {x * 30 + 3}.
    = {sum([x * 10, x * 10 + 1, x * 10 + 2])}"""
    x = r.roll(10, 30)
    yield f"""Four lockers stand side by side with consecutive odd numbers. The numbers add up to {8 * x}. Which
    number is the smallest?
    - The mean of the four is {8 * x} / 4 = {2 * x}.
    - It lies halfway between the second and the third, so the smallest is {2 * x} - 3 = {2 * x - 3}.
    = {next(v for v in range(1, 999, 2) if 4 * v + 12 == 8 * x)}"""


@shape("survey")
def survey(r: Draw) -> Iterator[str]:
    a, b, c, d = r.roll(40, 60), r.roll(30, 45), r.roll(8, 18), r.roll(5, 15)
    yield f"""Of {a + b - c + d} people asked, {a} drink coffee in the morning, {b} drink tea, and {c} of them drink
    both. How many drink neither?
    - Coffee or tea is drunk by {a} + {b} - {c} = {a + b - c} people, since those who drink both were counted twice.
    - {a + b - c + d} - {a + b - c} = {d} drink neither.
    = {(a + b - c + d) - (a - c) - (b - c) - c}"""
    n, t, k = r.roll(4, 9) * 100, r.pick(45, 55, 62, 48), r.roll(20, 60)
    v = n * t // 100
    yield f"""{n} members may vote in the election of a {r.pick("club president", "village mayor", "union leader")},
    and {t}% of them do. There are two candidates, and the winner is {2 * k - v % 2} votes ahead. How many votes does
    the winner get?
    - {n} * {t} / 100 = {v} votes are cast.
    - Without the lead the two would share {v} - {2 * k - v % 2} = {v - 2 * k + v % 2} votes equally.
    - The loser gets {v - 2 * k + v % 2} / 2 = {(v - 2 * k + v % 2) // 2}.
    - The winner gets {(v - 2 * k + v % 2) // 2} + {2 * k - v % 2} = {(v + 2 * k - v % 2) // 2}.
    = {next(w for w in range(v + 1) if w - (v - w) == 2 * k - v % 2)}"""
    a, b, n = r.roll(20, 35, 5), r.roll(15, 25, 5), r.roll(4, 9)
    yield f"""In a survey about pets, {a}% of the pupils have a cat, {b}% have a dog and nobody has both; the other
    {(100 - a - b) * n} pupils have neither. How many pupils were asked?
    - Cats and dogs account for {a} + {b} = {a + b} percent.
    - The others are 100 - {a + b} = {100 - a - b} percent.
    - One percent is {(100 - a - b) * n} / {100 - a - b} = {n} pupils.
    - 100 * {n} = {100 * n} pupils were asked.
    = {num((100 - a - b) * n * 100, 100 - a - b)}"""
    n, k, x = r.roll(40, 80, 5), r.roll(3, 6), r.roll(4, 9)
    yield f"""A town asked which color the new benches should have. Green got {n} votes, blue got twice as many, and
    yellow got {x * k} fewer than blue. {k} ballots were blank. Every ballot cost 5 cents to print. How many ballots
    were handed in?
    - Blue got 2 * {n} = {2 * n} votes.
    - Yellow got {2 * n} - {x * k} = {2 * n - x * k}.
    - The three colors got {n} + {2 * n} + {2 * n - x * k} = {5 * n - x * k} votes.
    - With the blank ones, {5 * n - x * k} + {k} = {5 * n - x * k + k} ballots were handed in.
    = {5 * n - (x - 1) * k}"""
    a, b, c, m = r.roll(60, 90, 5), r.roll(40, 55, 5), r.pick(20, 40, 60), r.roll(4, 9)
    yield f"""{a + b} passengers filled in a questionnaire, {b} of them by phone and the others on paper. Of the paper
    ones {m} could not be read, and {c}% of the phone ones were empty. The railway had expected 200 answers. How many
    are missing from that, if only usable ones count?
    - {a + b} - {b} = {a} passengers answered on paper.
    - Of these {a} - {m} = {a - m} are usable.
    - By phone {b} * {c} / 100 = {b * c // 100} were empty.
    - That leaves {b} - {b * c // 100} = {b - b * c // 100}.
    - Usable answers number {a - m} + {b - b * c // 100} = {a - m + b - b * c // 100}.
    - Missing are 200 - {a - m + b - b * c // 100} = {200 - a + m - b + b * c // 100}.
    = {num((200 + m - a) * 100 - b * (100 - c), 100)}"""
    a, b, c = r.roll(15, 22), r.roll(12, 18), r.roll(3, 8)
    yield f"""In an office of {a + b - c}, everybody speaks Spanish or Portuguese or both. {a} speak Spanish and {b}
    speak Portuguese. How many speak only one of the two languages?
    - The two groups add up to {a} + {b} = {a + b} people.
    - Those who speak both were counted twice: {a + b} - {a + b - c} = {c} people.
    - Only one language is spoken by {a + b - c} - {c} = {a + b - 2 * c} people.
    = {(a - c) + (b - c)}"""
