"""Lengths, areas and volumes; harvests, averages and scores."""

from collections.abc import Iterator

from ..draw import Draw
from ..problem import shape
from ..words import count, num, usd


@shape("area")
def area(r: Draw) -> Iterator[str]:
    a, b, k, p = r.roll(12, 20), r.roll(6, 11), r.roll(3, 5), r.person()
    yield f"""{p}'s plot is {a} meters long and {b} meters wide. A shed of {k} by 2 meters stands on it; the remainder
    is {r.pick("lawn", "meadow", "flower bed")}. How many square meters is the remainder?
    - The plot covers {a} * {b} = {a * b} square meters.
    - The shed takes {k} * 2 = {k * 2}.
    - {a * b} - {k * 2} = {a * b - 2 * k} square meters remain.
    = {a * (b - 2) + 2 * (a - k)}"""
    a, b = r.roll(7, 12), r.roll(3, 6)
    yield f"""A rectangular {r.pick("banner", "carpet", "tablecloth")} has a perimeter of {2 * (a + b)} feet and is
    {a} feet long. What is its area in square feet?
    - Length and width together are half the perimeter: {2 * (a + b)} / 2 = {a + b} feet.
    - The width is {a + b} - {a} = {b} feet.
    - The area is {a} * {b} = {a * b} square feet.
    = {next(a * w for w in range(1, 99) if 2 * (a + w) == 2 * (a + b))}"""
    s, x, c = r.roll(6, 12), r.roll(2, 4), r.roll(5, 9)
    yield f"""Around a square pool with sides of {s} m runs a wooden deck that is {x} m wide everywhere. How many
    square meters of wood does the deck take?
    - Pool and deck together form a square with sides of {s} + 2 * {x} = {s + 2 * x} m.
    - This square covers {s + 2 * x} * {s + 2 * x} = {(s + 2 * x) ** 2} square meters.
    - The pool covers {s} * {s} = {s * s}.
    - The deck takes {(s + 2 * x) ** 2} - {s * s} = {4 * x * (s + x)} square meters.
    = {4 * s * x + 4 * x * x}"""
    a, b, w, x, p = r.roll(4, 6), r.roll(3, 4), r.pick(4, 10), r.roll(15, 25), r.person()
    m = 2 * (a + b) * 3
    yield f"""{p} paints the four walls of a room {a} m long, {b} m wide and 3 m high. A door of 2 square meters and
    windows of {w} square meters stay unpainted. The ceiling was done last year. Each wall needs two coats, and a can
    is enough for 6 square meters of one coat. At ${x} a can, what does the paint cost?
    - The walls are 2 * ({a} + {b}) = {2 * (a + b)} m around.
    - They measure {2 * (a + b)} * 3 = {m} square meters.
    - Door and windows take 2 + {w} = {2 + w}.
    - {m} - {2 + w} = {m - 2 - w} square meters are painted.
    - Two coats make 2 * {m - 2 - w} = {2 * (m - 2 - w)} square meters.
    - That takes {2 * (m - 2 - w)} / 6 = {(m - 2 - w) // 3} cans.
    - The paint costs {(m - 2 - w) // 3} * ${x} = ${(m - 2 - w) // 3 * x}.
    = {(6 * a * x + 6 * b * x - 2 * x - w * x) // 3}"""
    a, b, c, d = r.roll(10, 14), r.roll(8, 9), r.roll(3, 5), r.roll(2, 4)
    yield f"""A classroom is L-shaped: a rectangle of {a} m by {b} m, from one corner of which a piece of {c} m by {d}
    m is cut out for a staircase. A skirting board runs along all six sides. How many meters of it are needed?
    - Cutting a rectangle out of a corner moves two stretches inward but does not change the length around.
    - So the board is as long as the perimeter of the full rectangle, 2 * ({a} + {b}) = {2 * (a + b)} m.
    = {a + b + (a - c) + d + c + (b - d)}"""
    a, b, k = r.roll(15, 25), r.roll(10, 14), r.roll(2, 4)
    yield f"""A photograph of {a} cm by {b} cm is mounted on cardboard so that {k} cm of cardboard show on every side.
    What is the area of the cardboard in square centimeters?
    - The cardboard is {a} + 2 * {k} = {a + 2 * k} cm long.
    - It is {b} + 2 * {k} = {b + 2 * k} cm wide.
    - Its area is {a + 2 * k} * {b + 2 * k} = {(a + 2 * k) * (b + 2 * k)} square centimeters.
    = {a * b + 2 * k * (a + b) + 4 * k * k}"""


@shape("tiles", held_out=2)
def tiles(r: Draw) -> Iterator[str]:
    a, b, t = r.roll(3, 6), r.roll(2, 4), r.pick(20, 25, 50)
    yield f"""A bathroom floor measures {a} m by {b} m. It is to be covered with square tiles whose sides are {t} cm.
    How many tiles does it take?
    - Along the long side fit {a * 100} / {t} = {a * 100 // t} tiles.
    - Along the short side fit {b * 100} / {t} = {b * 100 // t}.
    - The floor takes {a * 100 // t} * {b * 100 // t} = {a * b * 10000 // t**2} tiles.
    = {num(a * b * 10000, t * t)}"""
    a, b, x, k = r.roll(8, 14), r.roll(5, 7), r.roll(9, 15), r.roll(4, 9)
    yield f"""A {r.pick("kitchen", "hallway", "terrace")} needs {a * b} square feet of cork tiles. They come in packs
    of {b} square feet at ${x}, and the layer asks ${k * 10} for the work. What is the cost of tiles and work?
    - It takes {a * b} / {b} = {a} packs.
    - The packs cost {a} * ${x} = ${a * x}.
    - With the work that is ${a * x} + ${k * 10} = ${a * x + k * 10}.
    = {num(a * b * x + k * 10 * b, b)}"""
    n, k = r.roll(6, 10), r.roll(2, 3)
    yield f"""The floor of a courtyard has {n} rows of {n + k} square stones. All the stones along the four edges are
    black, the others white. How many are white?
    - Without the edges there are {n} - 2 = {n - 2} rows.
    - Each of them has {n + k} - 2 = {n + k - 2} white stones.
    - That makes {n - 2} * {n + k - 2} = {(n - 2) * (n + k - 2)} white stones.
    = {n * (n + k) - 2 * n - 2 * (n + k) + 4}"""
    a, b, d, x = r.roll(4, 6), r.roll(3, 4), r.roll(6, 12, 2), r.pick(8, 9, 12)
    yield f"""A wall {a} m long and {b} m high has a window of 1 m by 2 m in it. It gets tiles of 50 cm by 50 cm; {d}
    extra ones are ordered in case some break. A box of two tiles costs ${x}. The window is not tiled. What is the
    price of the tiles?
    - The wall measures {a} * {b} = {a * b} square meters.
    - Without the window that is {a * b} - 1 * 2 = {a * b - 2} square meters.
    - One square meter takes 2 * 2 = 4 tiles.
    - The wall takes {a * b - 2} * 4 = {4 * (a * b - 2)} tiles.
    - With the extra ones {4 * (a * b - 2)} + {d} = {4 * (a * b - 2) + d} are ordered.
    - That is {4 * (a * b - 2) + d} / 2 = {2 * (a * b - 2) + d // 2} boxes.
    - They cost {2 * (a * b - 2) + d // 2} * ${x} = {usd((2 * (a * b - 2) + d // 2) * x * 100)}.
    = {usd((4 * (a * b - 2) + d) * x * 50)}"""
    a, b, p = r.roll(3, 6), r.roll(2, 3), r.person()
    yield f"""{p} sews a quilt from square patches of 15 cm. It is to be {a * 30} cm wide and {b * 60} cm long. Half
    of the patches are already cut. How many does {p} still have to cut?
    - Across the width there are {a * 30} / 15 = {a * 2} patches.
    - Along the length there are {b * 60} / 15 = {b * 4}.
    - The quilt takes {a * 2} * {b * 4} = {8 * a * b} patches.
    - {8 * a * b} / 2 = {4 * a * b} are still to be cut.
    = {num(a * 30 * b * 60, 15 * 15 * 2)}"""
    n, m = r.roll(12, 20, 2), r.roll(8, 11)
    yield f"""For a mosaic picture of {n} by {m} cm, {r.person()} uses glass squares of 1 cm along the rim, one row
    deep, and pebbles everywhere else. How many glass squares are used?
    - The two long rims take 2 * {n} = {2 * n} squares, corners included.
    - The two short rims, without corners, take 2 * ({m} - 2) = {2 * m - 4}.
    - Together that is {2 * n} + {2 * m - 4} = {2 * n + 2 * m - 4} squares.
    = {n * m - (n - 2) * (m - 2)}"""


@shape("volume")
def volume(r: Draw) -> Iterator[str]:
    a, b, c = r.roll(40, 80, 10), r.roll(20, 30, 10), r.roll(25, 35, 5)
    yield f"""A glass tank is {a} cm long, {b} cm wide and {c + 5} cm high on the inside. It is filled to {c} cm. How
    many liters of water are in it, given that a liter is 1,000 cubic centimeters?
    - The base measures {a} * {b} = {num(a * b)} square centimeters.
    - The water takes up {num(a * b)} * {c} = {num(a * b * c)} cubic centimeters.
    - That is {num(a * b * c)} / 1,000 = {num(a * b * c, 1000)} liters.
    = {num(a * c * b, 1000)}"""
    a, b, c, k = r.roll(3, 5), r.roll(2, 4), r.roll(2, 3), r.roll(2, 3)
    yield f"""How many {r.pick("sugar", "wooden", "metal")} cubes with edges of {k} cm fill a box that is {a * k} cm
    long, {b * k} cm wide and {c * k} cm high?
    - Along the length fit {a * k} / {k} = {a} cubes, along the width {b * k} / {k} = {b}, and upward {c * k} / {k} =
    {c}.
    - The box holds {a} * {b} * {c} = {a * b * c} cubes.
    = {num(a * k * b * k * c * k, k**3)}"""
    a, b, d = r.roll(6, 12, 2), r.pick(2, 4), r.pick(20, 30, 50)
    yield f"""A garden path, {a * 5} m long and {b} m wide, is dug out to a depth of {d} cm. A truck carries away 2
    cubic meters of earth at a time. How many loads are there?
    - {d} cm are {d} / 100 = {num(d, 100)} m.
    - The path covers {a * 5} * {b} = {a * b * 5} square meters.
    - The earth measures {a * b * 5} * {num(d, 100)} = {num(a * b * 5 * d, 100)} cubic meters.
    - That makes {num(a * b * 5 * d, 100)} / 2 = {num(a * b * 5 * d, 200)} loads.
    = {num(a * 500 * b * 100 * d, 2000000)}"""
    a, w, h, t = r.roll(8, 12), r.roll(4, 6), r.roll(2, 3), r.roll(3, 8)
    yield f"""A swimming pool is {a} m long, {w} m wide and {h} m deep all over. It is filled up to half a meter below
    the rim, and a pump brings 2 cubic meters of water an hour. It costs $3 a cubic meter, and a cover costs
    ${t * 50}. What is spent on water?
    - The water stands {h} - 0.5 = {num(2 * h - 1, 2)} m high.
    - The floor measures {a} * {w} = {a * w} square meters.
    - The pool takes {a * w} * {num(2 * h - 1, 2)} = {num(a * w * (2 * h - 1), 2)} cubic meters.
    - They cost {num(a * w * (2 * h - 1), 2)} * $3 = {usd(a * w * (2 * h - 1) * 150)}.
    = {usd(300 * a * w * h - 150 * a * w)}"""
    n, k = r.roll(3, 5), r.roll(2, 3)
    p = r.person()
    yield f"""{p} glues small cubes together into one big cube, {n} along each edge, and then dips it into red paint.
    Afterwards the cube is taken apart. How many small cubes have no paint on them?
    - The outer layer is one cube deep on every side, so the core has {n} - 2 = {count(n - 2, "cube")} along each
    edge.
    - The core holds {n - 2} * {n - 2} * {n - 2} = {(n - 2) ** 3} small cubes.
    = {len([1 for x in range(n) for y in range(n) for z in range(n) if {x, y, z}.isdisjoint({0, n - 1})])}"""
    a, b, c, n = r.roll(30, 50, 10), r.pick(20, 25), r.roll(2, 4), r.pick(4, 5, 10)
    yield f"""{n} equal glass blocks are laid into a basin with a base of {a} cm by {b} cm. They are completely under
    water, and the level has risen by {c} cm. How many cubic centimeters does one block measure?
    - The base measures {a} * {b} = {num(a * b)} square centimeters.
    - The blocks push up {num(a * b)} * {c} = {num(a * b * c)} cubic centimeters of water.
    - One block measures {num(a * b * c)} / {n} = {num(a * b * c, n)} cubic centimeters.
    = {num(c * b * a, n)}"""


@shape("fences")
def fences(r: Draw) -> Iterator[str]:
    a, b, d = r.pick((24, 18, 3), (30, 20, 5), (28, 16, 4), (36, 24, 4), (40, 25, 5))
    yield f"""A rectangular {r.pick("paddock", "orchard", "playground")} of {a} m by {b} m is fenced all around, with
    a post every {d} m. How many posts are needed?
    - The fence is 2 * ({a} + {b}) = {2 * (a + b)} m long.
    - As it closes on itself, there are as many posts as gaps: {2 * (a + b)} / {d} = {2 * (a + b) // d}.
    = {2 * (a // d + 1) + 2 * (b // d + 1) - 4 if a % d == b % d == 0 else 2 * (a + b) // d}"""
    n, d = r.roll(9, 16), r.roll(6, 12, 2)
    yield f"""Along one side of a straight avenue stand {n} plane trees, {d} m apart. How many meters is it from the
    first to the last?
    - Between {n} trees there are {n} - 1 = {n - 1} gaps.
    - They measure {n - 1} * {d} = {(n - 1) * d} m.
    = {[*range(0, 9999, d)][n - 1]}"""
    a, b, x, k, g = r.roll(10, 16), r.roll(6, 9), r.roll(7, 12), r.roll(2, 3), r.roll(40, 70, 5)
    yield f"""A goat pen measures {a} m by {b} m. One of the long sides is the wall of the barn and needs no fence,
    and {k} m of the other long side are left for a gate that costs ${g}. Fencing is ${x} a meter. {r.person()}
    already has the posts. What do fence and gate cost?
    - The two short sides measure 2 * {b} = {2 * b} m.
    - The long side without the gate measures {a} - {k} = {a - k} m.
    - {2 * b} + {a - k} = {2 * b + a - k} m of fencing are needed.
    - That costs {2 * b + a - k} * ${x} = ${(2 * b + a - k) * x}.
    - With the gate it is ${(2 * b + a - k) * x} + ${g} = ${(2 * b + a - k) * x + g}.
    = {(a + 2 * b) * x - k * x + g}"""
    n, w, g = r.roll(5, 9), r.roll(30, 50, 5), r.roll(20, 40, 5)
    yield f"""{n} paintings, each {w} cm wide, hang in a row with {g} cm between neighbors and {g + 20} cm free at
    either end of the wall. How long is the wall, in centimeters?
    - The paintings take {n} * {w} = {n * w} cm.
    - There are {n} - 1 = {n - 1} gaps between them.
    - These take {n - 1} * {g} = {(n - 1) * g} cm.
    - The ends take 2 * {g + 20} = {2 * g + 40} cm.
    - The wall is {n * w} + {(n - 1) * g} + {2 * g + 40} = {n * w + (n + 1) * g + 40} cm long.
    = {n * (w + g) + g + 40}"""
    a, d, x = r.roll(6, 10), r.pick(2, 3), r.roll(8, 15)
    yield f"""A round pond has a rim of {a * d * 4} m. Lanterns are placed on it {d * 2} m apart and rose bushes
    exactly halfway between them. A lantern costs ${x} and a bush $6. What do they cost altogether?
    - Around the pond there are {a * d * 4} / {d * 2} = {2 * a} gaps, so there are {2 * a} lanterns.
    - They cost {2 * a} * ${x} = ${2 * a * x}.
    - Each gap gets one bush: {2 * a} * $6 = ${12 * a}.
    - Altogether it is ${2 * a * x} + ${12 * a} = ${2 * a * x + 12 * a}.
    = {a * 2 * (x + 6)}"""
    n, k = r.roll(5, 8), r.roll(2, 4)
    yield f"""It takes {k} minutes to saw through a log once. {r.person()} saws a long log into {n} pieces, one cut
    after the other, and rests for 5 minutes after the third cut. How many minutes go by from the start to the last
    cut?
    - For {n} pieces {n} - 1 = {n - 1} cuts are made.
    - The cuts take {n - 1} * {k} = {(n - 1) * k} minutes.
    - With the rest it is {(n - 1) * k} + 5 = {(n - 1) * k + 5} minutes.
    = {n * k - k + 5}"""


@shape("harvest")
def harvest(r: Draw) -> Iterator[str]:
    n, m, x, k = r.roll(4, 7), r.roll(6, 9), r.roll(2, 3), r.roll(8, 20)
    crop, p = r.pick("tomato", "pepper", "eggplant"), r.person()
    yield f"""{p} grows {n} rows of {m} {crop} plants. Each plant bears {x} kg, and the slugs spoil {k} kg. How many
    kilograms can be eaten?
    - There are {n} * {m} = {n * m} plants.
    - They bear {n * m} * {x} = {n * m * x} kg.
    - {n * m * x} - {k} = {n * m * x - k} kg can be eaten.
    = {x * n * m - k}"""
    a, b, y, z = r.roll(8, 14), r.roll(5, 7), r.roll(2, 4), r.roll(3, 5)
    yield f"""A bed {a} m long and {b} m wide yields {y} kg of potatoes per square meter. They are sold in {b}-kg
    sacks for ${z * 3}. How much money does the bed bring in?
    - The bed covers {a} * {b} = {a * b} square meters.
    - It yields {a * b} * {y} = {a * b * y} kg.
    - That fills {a * b * y} / {b} = {a * y} sacks.
    - They bring in {a * y} * ${z * 3} = {usd(100 * a * y * z * 3)}.
    = {usd(a * b * y * 300 * z // b)}"""
    n, x, d = r.roll(12, 20, 2), r.roll(40, 60, 5), r.roll(10, 20, 5)
    yield f"""An old orchard of {n} apple trees used to give {x} kg a tree. This year half of the trees gave {d} kg
    more than that and the other half {d // 5 * 2} kg less. How many kilograms were picked this year?
    - Half of the trees are {n} / 2 = {n // 2}.
    - The good half gave {n // 2} * {x + d} = {n // 2 * (x + d)} kg.
    - The poor half gave {n // 2} * {x - d // 5 * 2} = {n // 2 * (x - d // 5 * 2)} kg.
    - Altogether {n // 2 * (x + d)} + {n // 2 * (x - d // 5 * 2)} = {num(n // 2 * (2 * x + d - d // 5 * 2))} kg were
    picked.
    = {num(n * x + n // 2 * (d - d // 5 * 2))}"""
    a, m, k, x, p = r.roll(40, 60, 10), r.roll(5, 7), r.roll(5, 8), r.roll(9, 14), r.person()
    b = a * m - k * 20
    yield f"""{p}'s {m} olive trees gave {a} kg each. {b} kg were pickled, and the others went to the mill, which
    presses one liter of oil from every {k} kg and keeps a tenth of the oil as its fee. {p} sold half of what {p.he}
    got, for ${x} a liter. How much money was that?
    - The trees gave {m} * {a} = {a * m} kg.
    - To the mill went {a * m} - {b} = {k * 20} kg.
    - It pressed {k * 20} / {k} = 20 liters.
    - The fee was 20 / 10 = 2 liters, which left 20 - 2 = 18 liters.
    - Half of that is 18 / 2 = 9 liters.
    - {p} received 9 * ${x} = ${9 * x}.
    = {(a * m - b) * 9 * x // (k * 20)}"""
    n, y, z = r.roll(5, 9), r.roll(3, 5), r.roll(2, 4)
    yield f"""Every day for a week {r.person()} picks {n} cups of {r.pick("raspberries", "blueberries", "currants")}.
    {y} cups are eaten fresh in the week, and {z} are frozen. A jar of jam takes 2 cups. How many full jars does the
    remainder make?
    - In a week {n} * 7 = {7 * n} cups are picked.
    - After eating and freezing, {7 * n} - {y} - {z} = {7 * n - y - z} remain.
    - {(7 * n - y - z) // 2} jars take {(7 * n - y - z) // 2} * 2 = {(7 * n - y - z) // 2 * 2} cups,
    {"and nothing is" if (7 * n - y - z) % 2 == 0 else "and one cup is"} left over.
    - So the number of jars is {(7 * n - y - z) // 2 * 2} / 2 = {(7 * n - y - z) // 2}.
    = {(7 * n - y - z) // 2}"""
    a, d, n = r.roll(4, 7), r.roll(3, 6), r.roll(4, 6)
    yield f"""A pumpkin patch produced {a * d} kg in its first year, in {d} pumpkins of equal weight. In the second
    year there were {n} pumpkins more and each was 1 kg heavier. What was the second harvest, in kilograms?
    - In the first year a pumpkin weighed {a * d} / {d} = {a} kg.
    - In the second it weighed {a} + 1 = {a + 1} kg.
    - There were {d} + {n} = {d + n} pumpkins.
    - They weighed {d + n} * {a + 1} = {(d + n) * (a + 1)} kg.
    = {a * d + d + n * a + n}"""


@shape("averages", held_out=2)
def averages(r: Draw) -> Iterator[str]:
    m, d, e, p = r.roll(70, 85), r.roll(2, 6), r.roll(3, 7), r.person()
    yield f"""{p} got {m - d}, {m + e} and {m + d - e} points in three {r.pick("Latin", "physics", "history")} tests.
    What is {p.his} average?
    - The points add up to {m - d} + {m + e} + {m + d - e} = {3 * m}.
    - The average is {3 * m} / 3 = {m}.
    = {num((m - d) + (m + e) + (m + d - e), 3)}"""
    n, m, k, p = r.roll(3, 5), r.roll(14, 22), r.roll(2, 4), r.person()
    yield f"""In the first {n} {r.pick("basketball", "handball")} matches of the season {p} averaged {m} points. How
    many points must {p.he} score in the next one to bring the average up to {m + k}?
    - So far there are {n} * {m} = {n * m} points.
    - After {n + 1} matches there should be {n + 1} * {m + k} = {(n + 1) * (m + k)}.
    - The next match must bring {(n + 1) * (m + k)} - {n * m} = {(n + 1) * (m + k) - n * m} points.
    = {next(v for v in range(999) if (n * m + v) == (m + k) * (n + 1))}"""
    a, m = r.roll(140, 150), r.roll(2, 4)
    n = m * 2
    yield f"""{n} girls with an average height of {a} cm and {m} boys with an average height of {a + 9} cm form a
    relay team. Their coach is 180 cm tall. What is the average height of the children, in centimeters?
    - The girls' heights add up to {n} * {a} = {num(n * a)} cm.
    - The boys' heights add up to {m} * {a + 9} = {num(m * (a + 9))} cm.
    - All the children together measure {num(n * a)} + {num(m * (a + 9))} = {num(n * a + m * (a + 9))} cm.
    - There are {n} + {m} = {n + m} children.
    - The average is {num(n * a + m * (a + 9))} / {n + m} = {a + 3} cm.
    = {num(n * a + m * (a + 9), n + m)}"""
    t, d = r.roll(12, 20), r.roll(2, 5)
    u, v, w, x, y = t - d, t + 2 * d, t + 1, t - 3, t + d
    yield f"""At noon the thermometer at a {r.pick("harbor", "vineyard", "lighthouse")} showed {u}, {v}, {w}, {x} and
    {y} degrees from Monday to Friday. On Saturday it was 4 degrees warmer than the average of those five days, on
    Sunday twice as far above it. What is the average of Saturday and Sunday?
    - The five readings add up to {u} + {v} + {w} + {x} + {y} = {u + v + w + x + y}.
    - Their average is {u + v + w + x + y} / 5 = {num(u + v + w + x + y, 5)}.
    - Saturday had {num(u + v + w + x + y, 5)} + 4 = {num(u + v + w + x + y + 20, 5)} degrees.
    - Sunday was 2 * 4 = 8 degrees above the average.
    - It had {num(u + v + w + x + y, 5)} + 8 = {num(u + v + w + x + y + 40, 5)} degrees.
    - The two add up to {num(u + v + w + x + y + 20, 5)} + {num(u + v + w + x + y + 40, 5)} =
    {num(2 * (u + v + w + x + y) + 60, 5)}.
    - Their average is {num(2 * (u + v + w + x + y) + 60, 5)} / 2 = {num(u + v + w + x + y + 30, 5)} degrees.
    = {num(5 * (u + v + w + x + y + 20) + 5 * (u + v + w + x + y + 40), 50)}"""
    n, m, k = r.roll(5, 6), r.roll(36, 40), r.roll(4, 5)
    yield f"""{n} colleagues have an average age of {m}. One of them, who is {m + k * (n - 1)}, retires. What is the
    average age of the others?
    - The ages add up to {n} * {m} = {n * m} years.
    - Without the one who retires it is {n * m} - {m + k * (n - 1)} = {(n - 1) * (m - k)}.
    - For {n - 1} colleagues the average is {(n - 1) * (m - k)} / {n - 1} = {m - k}.
    = {num(n * m - m - k * (n - 1), n - 1)}"""
    m, k = r.roll(24, 40), r.roll(2, 6)
    yield f"""A bakery sold on average {m} walnut loaves on each of the six days it was open. On the five days before
    Saturday the average was {m - k}. How many were sold on Saturday?
    - In six days 6 * {m} = {6 * m} loaves were sold.
    - In the first five it was 5 * {m - k} = {5 * (m - k)}.
    - On Saturday {6 * m} - {5 * (m - k)} = {m + 5 * k} were sold.
    = {m + 5 * k}"""


@shape("scores")
def scores(r: Draw) -> Iterator[str]:
    a, b, c, p = r.roll(5, 9), r.roll(2, 4), r.roll(3, 6), r.person()
    yield f"""In a basketball game {p} made {a} two-point shots, {b} three-pointers and {c} free throws worth one
    point each. How many points is that?
    - The two-point shots give {a} * 2 = {2 * a} points.
    - The three-pointers give {b} * 3 = {3 * b}.
    - With the free throws {p} has {2 * a} + {3 * b} + {c} = {2 * a + 3 * b + c} points.
    = {sum([2] * a + [3] * b + [1] * c)}"""
    w, d, n = r.roll(8, 14), r.roll(3, 7), r.roll(22, 26)
    yield f"""In the {r.pick("handball", "football", "water polo")} league a win counts 3 points and a draw 1. A team
    has played {n} matches, won {w} of them and lost {n - w - d}. How many points does it have?
    - {n} - {w} - {n - w - d} = {d} matches were drawn.
    - The wins give {w} * 3 = {3 * w} points.
    - With the draws it has {3 * w} + {d} = {3 * w + d} points.
    = {3 * w + d}"""
    n, x, y, k = r.roll(20, 30), r.roll(4, 5), r.roll(1, 2), r.roll(3, 7)
    yield f"""A quiz has {n} questions. A right answer earns {x} points, a wrong one costs {y}, and a question left
    open counts nothing. {r.person()} left 2 open and got {k} wrong. What was the final score?
    - {n} - 2 - {k} = {n - 2 - k} answers were right.
    - They earned {n - 2 - k} * {x} = {(n - 2 - k) * x} points.
    - The wrong ones cost {k} * {y} = {k * y}.
    - The score was {(n - 2 - k) * x} - {k * y} = {(n - 2 - k) * x - k * y}.
    = {(n - 2) * x - k * (x + y)}"""
    a, b, c = r.roll(18, 26), r.roll(2, 6), r.roll(3, 8)
    p, q = r.person(), r.person()
    yield f"""In a dart game over four rounds, {p} scores {a}, {a + b}, {a - c} and {a + 1}. {q} scores {a + 2} in
    every one of the first three rounds. The loser pays $5 for drinks. What must {q} score in the last round to win by
    exactly one point?
    - In two rounds {p} has {a} + {a + b} = {2 * a + b}.
    - The other two give {a - c} + {a + 1} = {2 * a - c + 1}.
    - {p}'s sum is {2 * a + b} + {2 * a - c + 1} = {4 * a + b - c + 1}.
    - To win by one point {q} needs {4 * a + b - c + 1} + 1 = {4 * a + b - c + 2}.
    - So far {q} has 3 * {a + 2} = {3 * a + 6}.
    - The last round must bring {4 * a + b - c + 2} - {3 * a + 6} = {a + b - c - 4}.
    = {next(v for v in range(999) if 3 * (a + 2) + v == a + (a + b) + (a - c) + (a + 1) + 1)}"""
    a, b, k = r.roll(15, 25), r.roll(4, 9), r.roll(2, 4)
    yield f"""At half-time the {r.pick("Herons", "Badgers", "Comets")} were {b} points behind. In the second half they
    scored {a + b + k} points and let in {a}. By how many points did they win?
    - In the second half they were better by {a + b + k} - {a} = {b + k} points.
    - Making up the deficit leaves a lead of {b + k} - {b} = {k} points.
    = {-b + a + b + k - a}"""
    x, y = r.pick(7, 8), r.roll(1, 3)
    yield f"""Six judges rate a figure skater: {x}, {x + 1}, {x}, {x - y}, 10 and {x - 1} points. The best and the
    worst rating are dropped. How many points do the others add up to?
    - All six ratings add up to {x} + {x + 1} + {x} + {x - y} + 10 + {x - 1} = {5 * (x) - y + 10}.
    - The best is 10 and the worst {x - y}, together 10 + {x - y} = {10 + x - y}.
    - The others add up to {5 * (x) - y + 10} - {10 + x - y} = {4 * (x)}.
    = {sum(sorted([x, x + 1, x, x - y, 10, x - 1])[1:-1])}"""
