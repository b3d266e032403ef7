"""Pay packets, piggy banks and contracts."""

from collections.abc import Iterator

from ..draw import Draw
from ..problem import shape
from ..words import clock, count, eur, num, usd


@shape("exchange")
def exchange(r: Draw) -> Iterator[str]:
    p, x, y = r.person(), r.roll(200, 500, 50), r.pick(14, 15, 16)
    yield f"""Before flying to Oaxaca, {p} changes ${x} into pesos. The bank gives {y} pesos for a dollar and keeps a
    fee of 60 pesos. How many pesos does {p} receive?
    - Without the fee, ${x} would be {num(x)} * {y} = {num(x * y)} pesos.
    - The fee lowers that to {num(x * y)} - 60 = {num(x * y - 60)} pesos.
    = {num(x * y - 60)}"""
    p, x, y, k = r.person(), r.roll(300, 600, 50), r.pick(140, 145, 150), r.roll(1, 2)
    z = x * y // 10 * 6
    yield f"""{p} exchanges ${x} for yen at {y} yen to the dollar and spends {num(z)} yen in Kyoto. At the airport
    {p.he} turns the rest back into dollars at the same rate. How many dollars come back?
    - {p} starts out with {x} * {y} = {num(x * y)} yen.
    - After Kyoto there are {num(x * y)} - {num(z)} = {num(x * y - z)} yen left.
    - At {y} yen to the dollar that is {num(x * y - z)} / {y} = {num(x * y - z, y)} dollars.
    = {num(x * 4, 10)}"""
    x, k = r.roll(60, 95, 5), r.roll(6, 14)
    y = x * 6 // 5 - k
    shoes = r.pick("running shoes", "cycling shoes", "walking boots")
    yield f"""The same {shoes} cost €{x} in Vienna and ${y} in Chicago. At the moment one euro is worth $1.20. By how
    many dollars are the {shoes} cheaper in Chicago?
    - In dollars the Vienna price is {x} * 1.20 = {x * 6 // 5}.
    - Chicago is cheaper by {x * 6 // 5} - {y} = {k} dollars.
    = {num(x * 120 - y * 100, 100)}"""
    x, y, n = r.roll(40, 90, 10), r.roll(75, 85, 5), r.roll(3, 5)
    z = r.roll(25, 75, 5)
    yield f"""In {r.pick("Mumbai", "Jaipur", "Chennai")} a hotel room costs {num(x * y)} rupees a night. One dollar
    buys {y} rupees. A traveler stays {n} nights and has set aside ${x * n + z} for the room. How many dollars of that
    remain?
    - In dollars, one night costs {num(x * y)} / {y} = {x}.
    - {n} nights cost {n} * {x} = {n * x} dollars.
    - What remains is {x * n + z} - {n * x} = {z} dollars.
    = {num(x * n * y + z * y - n * x * y, y)}"""
    x, y, z = r.roll(20, 60, 10), r.roll(300, 600, 100), r.roll(20, 50, 10)
    p = r.person()
    yield f"""At the end of a long trip {p} empties {p.his} pockets: ${x}, €{z} and {y} Danish kroner. A euro is worth
    $1.10 and 10 kroner are worth $1.50. The exchange desk charges $4 for each of the two currencies it has to change.
    How many dollars will {p} hold afterwards?
    - The euros are worth {z} * 1.10 = {num(z * 11, 10)} dollars.
    - The kroner make {y} / 10 = {y // 10} tens.
    - They are worth {y // 10} * 1.50 = {num(y * 15, 100)} dollars.
    - The desk keeps 2 * 4 = 8 dollars.
    - Changed money comes to {num(z * 11, 10)} + {num(y * 15, 100)} - 8 = {num(z * 110 + y * 15 - 800, 100)} dollars.
    - With the dollars already there it is {x} + {num(z * 110 + y * 15 - 800, 100)} =
    {num(x * 100 + z * 110 + y * 15 - 800, 100)}.
    = {num((x - 8) * 100 + y * 15 + z * 110, 100)}"""
    x, k = r.roll(150, 350, 50), r.roll(2, 5)
    yield f"""A band from Leeds is paid €{x * k} for {k} concerts in Spain. At 80 pence to the euro, how many pounds
    does each concert bring, once £20 a concert has gone to the driver?
    - One concert pays {x * k} / {k} = {x} euros.
    - In pounds that is {x} * 0.80 = {num(x * 8, 10)}.
    - With the driver paid, {num(x * 8, 10)} - 20 = {num(x * 8 - 200, 10)} pounds are left.
    = {num(x * k * 8 - 200 * k, 10 * k)}"""


@shape("overtime", held_out=2)
def overtime(r: Draw) -> Iterator[str]:
    p, x, k = r.person(), r.roll(14, 24, 2), r.roll(3, 9)
    job = r.pick("welder", "nurse", "baker")
    yield f"""{p} works as a {job} for ${x} an hour. Hours beyond 40 in a week are paid at one and a half times that
    rate. Last week {p.he} worked {40 + k} hours. What did {p.he} earn?
    - The overtime is {40 + k} - 40 = {count(k, "hour")}.
    - The first 40 hours paid 40 * ${x} = ${40 * x}.
    - An hour of overtime pays ${x} * 1.5 = ${x * 3 // 2}.
    - The overtime came to {k} * ${x * 3 // 2} = ${k * x * 3 // 2}.
    - In total {p} earned ${40 * x} + ${k * x * 3 // 2} = {usd(4000 * x + k * x * 150)}.
    = {usd(100 * x * (40 + k) + 50 * x * k)}"""
    x, n, m, k = r.roll(12, 18), r.roll(5, 7), r.roll(3, 5), r.roll(4, 8)
    p = r.person()
    yield f"""Tutoring pays {p} ${x} an hour on weekdays and ${x + k} an hour at weekends. In one month {p.he} gave
    {n * 4} weekday hours and {m * 2} weekend hours. What was {p.his} pay?
    - Weekdays: {n * 4} * ${x} = ${n * 4 * x}.
    - Weekends: {m * 2} * ${x + k} = ${m * 2 * (x + k)}.
    - The pay was ${n * 4 * x} + ${m * 2 * (x + k)} = {usd(100 * (n * 4 * x + m * 2 * (x + k)))}.
    = {usd(100 * ((n * 4 + m * 2) * x + m * 2 * k))}"""
    x, k, p = r.roll(16, 26, 2), r.roll(2, 6, 2), r.person()
    yield f"""A warehouse pays ${x} an hour for an 8-hour day and twice that for anything longer. {p}'s slip for
    Tuesday shows ${8 * x + 2 * x * k}. How many hours was {p.he} at work?
    - A normal day pays 8 * ${x} = ${8 * x}.
    - The extra pay is ${8 * x + 2 * x * k} - ${8 * x} = ${2 * x * k}.
    - An extra hour pays 2 * ${x} = ${2 * x}, so there were ${2 * x * k} / ${2 * x} = {k} extra hours.
    - {p} was at work for 8 + {k} = {8 + k} hours.
    = {next(h for h in range(8, 24) if 8 * x + (h - 8) * 2 * x == 8 * x + 2 * x * k)}"""
    p, x, n, k, d = r.person(), r.roll(500, 700, 50), r.roll(14, 22, 2), r.roll(20, 30, 5), r.pick(2, 5)
    yield f"""Besides a fixed ${x} a week, {p} gets ${k} for every {r.pick("kitchen", "heat pump", "piano")} {p.he}
    sells, and after the tenth one in a week the amount rises by ${d} for each further one. Last week {p.he} sold {n}.
    How large was the week's pay?
    - The first ten brought 10 * ${k} = ${10 * k}.
    - There were {n} - 10 = {n - 10} more.
    - Each of those paid ${k} + ${d} = ${k + d}.
    - They brought {n - 10} * ${k + d} = ${(n - 10) * (k + d)}.
    - All sales together brought ${10 * k} + ${(n - 10) * (k + d)} = ${(t := 10 * k + (n - 10) * (k + d))}.
    - With the fixed part the pay was ${x} + ${t} = {usd(100 * (x + t))}.
    = {usd(100 * (x + n * k + (n - 10) * d))}"""
    x, n, m, t = r.roll(20, 30, 2), r.roll(6, 8), r.roll(3, 5), r.pick(10, 20, 25)
    yield f"""A translator charges ${x} a page by day and half as much again for pages delivered overnight.
    {r.person()} ordered {n} pages by day and {m} overnight, and {t}% of the total goes to the agency. How much does
    the translator keep?
    - An overnight page costs ${x} + ${x // 2} = ${x + x // 2}.
    - The day pages cost {n} * ${x} = ${n * x}.
    - The overnight pages cost {m} * ${x + x // 2} = ${m * (x + x // 2)}.
    - The order is worth ${n * x} + ${m * (x + x // 2)} = ${(s := n * x + m * (x + x // 2))}.
    - The agency gets ${s} * {t} / 100 = {usd(s * t)}.
    - The translator keeps ${s} - {usd(s * t)} = {usd(s * (100 - t))}.
    = {usd((2 * n + 3 * m) * x * (100 - t) // 2)}"""
    p, x, n, k = r.person(), r.roll(15, 20), r.roll(4, 6), r.roll(7, 10)
    fruit = r.pick("grapes", "strawberries", "olives")
    yield f"""For picking {fruit}, {p} was promised ${x} an hour. On {n} days {p.he} worked from 6:00 a.m. to
    {clock(390 + 60 * k)}, each time with an unpaid break of half an hour. How much is {p.he} owed?
    - From 6:00 a.m. to {clock(390 + 60 * k)} is {k}.5 hours.
    - Without the break, {k}.5 - 0.5 = {k} hours a day are paid.
    - In {n} days that makes {n} * {k} = {n * k} hours.
    - The pay is {n * k} * ${x} = {usd(100 * n * k * x)}.
    = {usd((390 + 60 * k - 360 - 30) * n * x * 100 // 60)}"""
    x, k, m = r.roll(18, 26, 2), r.roll(7, 12), r.roll(2, 3)
    p, q = r.person(), r.person()
    yield f"""{p} and {q} both get ${x} an hour at the print shop, and Sunday hours count double. This week {p} did
    {k + 25} ordinary hours. {q} did {25} ordinary hours and {m} on Sunday. How much more did {p} earn than {q}?
    - {p} earned {k + 25} * ${x} = ${(k + 25) * x}.
    - A Sunday hour pays 2 * ${x} = ${2 * x}.
    - {q} earned 25 * ${x} + {m} * ${2 * x} = ${25 * x + m * 2 * x}.
    - The difference is ${(k + 25) * x} - ${25 * x + m * 2 * x} = ${(k - 2 * m) * x}.
    = {(k + 25 - 25 - 2 * m) * x}"""


@shape("savings")
def savings(r: Draw) -> Iterator[str]:
    p, n, x, s = r.person(), r.roll(6, 12), r.roll(8, 15), r.roll(20, 60, 5)
    goal = r.pick("keyboard", "pair of skates", "drone")
    yield f"""{p} has ${s} and puts aside ${x} every week for a {goal} that costs ${s + n * x}. After how many weeks
    can {p.he} buy it?
    - {p} still needs ${s + n * x} - ${s} = ${n * x}.
    - At ${x} a week that takes {n * x} / {x} = {n} weeks.
    = {next(w for w in range(99) if s + w * x >= s + n * x)}"""
    n, x, k, p = r.roll(4, 7), r.roll(5, 10), r.roll(2, 3), r.person()
    total = sum(x + k * w for w in range(n))
    yield f"""In the first week of {r.pick("a savings challenge", "the year")} {p} drops ${x} into a jar. Each
    following week {p.he} adds ${k} more than the week before. How much is in the jar after {n} weeks?
    - In week {n} the amount is ${x} + {n - 1} * ${k} = ${x + (n - 1) * k}.
    - First and last week together make ${x} + ${x + (n - 1) * k} = ${2 * x + (n - 1) * k}.
    - The amounts rise evenly, so {n} weeks give {n} * ${2 * x + (n - 1) * k} / 2 = ${n * (2 * x + (n - 1) * k) // 2}.
    = {total}"""
    p, q, x, y, k = r.person(), r.person(), r.roll(6, 10), r.roll(11, 16), r.roll(6, 12)
    yield f"""{p} already has ${(y - x) * k} and saves ${x} a month. {q} has nothing yet but saves ${y} a month. In
    how many months will {q} have caught up with {p}?
    - Each month {q} gains ${y} - ${x} = ${y - x} on {p}.
    - To make up ${(y - x) * k} takes {(y - x) * k} / {y - x} = {k} months.
    = {next(m for m in range(999) if y * m >= (y - x) * k + x * m)}"""
    p, w, t, n, b = r.person(), r.roll(200, 320, 20), r.pick(10, 20, 25), r.roll(5, 8), r.roll(30, 60, 10)
    yield f"""{p} earns ${w} a week as a lifeguard and banks {t}% of it. In the third week {p.he} has to take ${b} out
    again for a dentist. How much has {p.he} saved after {n} weeks?
    - The weekly deposit is ${w} * {t} / 100 = ${w * t // 100}.
    - {n} deposits add up to {n} * ${w * t // 100} = ${n * (w * t // 100)}.
    - The dentist leaves ${n * (w * t // 100)} - ${b} = ${n * (w * t // 100) - b}.
    = {n * w * t // 100 - b}"""
    n, x, y, z, p = r.roll(3, 5), r.roll(12, 18), r.roll(4, 7), r.roll(150, 200, 10), r.person()
    k = r.roll(4, 6)
    g = z + k * (n * x - y)
    yield f"""{p} walks {n} dogs every week and is paid ${x} for each. Treats and leads cost {p.him} ${y} a week, and
    {p.his} grandmother has given {p.him} ${z}. {p.He} is saving for a ${g} camera. A friend who saves ${y + 3} a week
    says it will take years. How many weeks will it take {p}?
    - The dogs bring in {n} * ${x} = ${n * x} a week.
    - After expenses {n * x} - {y} = {n * x - y} dollars a week can be saved.
    - The gift means that ${g} - ${z} = ${g - z} is still missing.
    - That takes {g - z} / {n * x - y} = {k} weeks.
    = {next(w for w in range(99) if z + w * (n * x - y) >= g)}"""
    p, q, n, x, y, k = r.person(), r.person(), r.roll(10, 20, 2), r.roll(3, 5), r.roll(6, 9), r.roll(20, 40, 5)
    yield f"""A brother and a sister, {p} and {q}, save together for {r.pick("a tent", "a telescope", "a cello")}. For
    {n} weeks {p} gives ${x} a week and {q} gives ${y} every second week. Their aunt then adds ${k}. How much do they
    have?
    - {p} gives {n} * ${x} = ${n * x}.
    - {q} pays in {n} / 2 = {n // 2} times.
    - That is {n // 2} * ${y} = ${n // 2 * y}.
    - With the aunt's present they have ${n * x} + ${n // 2 * y} + ${k} = ${n * x + n // 2 * y + k}.
    = {sum(x + (y if w % 2 else 0) for w in range(n)) + k}"""


@shape("interest", held_out=2)
def interest(r: Draw) -> Iterator[str]:
    p, x, t, n = r.person(), r.roll(800, 2400, 200), r.roll(2, 5), r.roll(2, 4)
    yield f"""{p} lends a cousin ${num(x)} at {t}% simple interest a year. How much will the cousin owe after {n}
    years, the loan included?
    - One year's interest is ${num(x)} * {t} / 100 = {usd(x * t)}.
    - Over {n} years that becomes {n} * {usd(x * t)} = {usd(n * x * t)}.
    - The cousin will owe ${num(x)} + {usd(n * x * t)} = {usd(100 * x + n * x * t)}.
    = {usd(x * (100 + n * t))}"""
    x, t, k = r.roll(1000, 3000, 500), r.roll(3, 6), r.roll(2, 5)
    yield f"""A savings bond of ${num(x)} pays simple interest of {t}% every year; the interest is sent out by check,
    never added. After how many years do the checks add up to ${num(x * t * k // 100)}?
    - Each yearly check is ${num(x)} * {t} / 100 = ${x * t // 100}.
    - To reach the sum takes {num(x * t * k // 100)} / {x * t // 100} = {k} years.
    = {next(y for y in range(99) if y * x * t >= x * t * k)}"""
    x, y, s, t = r.roll(1000, 2000, 200), r.roll(500, 900, 100), r.roll(2, 3), r.roll(4, 5)
    p = r.person()
    yield f"""{p} keeps ${num(x)} in an account at {s}% a year and ${y} in another at {t}%. What interest do both pay
    together in one year?
    - The first account pays ${num(x)} * {s} / 100 = {usd(x * s)}.
    - The second pays ${y} * {t} / 100 = {usd(y * t)}.
    - Together that is {usd(x * s)} + {usd(y * t)} = {usd(x * s + y * t)}.
    = {num(x * s + y * t, 100)}"""
    x, t, n = r.roll(400, 900, 100), r.pick(4, 6, 8, 12), r.pick(3, 6, 9)
    item = r.pick("washing machine", "laptop", "sofa")
    yield f"""A {item} priced at ${x} can be paid off {n} months later if {t}% a year is added for the waiting time.
    What does the buyer pay in the end?
    - A whole year would add ${x} * {t} / 100 = {usd(x * t)}.
    - For {n} of 12 months, {usd(x * t)} * {n} / 12 = {usd(x * t * n // 12)} is added.
    - The buyer pays ${x} + {usd(x * t * n // 12)} = {usd(100 * x + x * t * n // 12)}.
    = {usd(x * (1200 + t * n) // 12)}"""
    x, t, n, k = r.roll(2000, 4000, 500), r.roll(3, 5), 3, r.roll(500, 1000, 100)
    p = r.person()
    yield f"""To open a {r.pick("tea room", "repair shop", "dance school")}, {p} borrowed ${num(x)} at {t}% simple
    interest a year. After the first year {p.he} paid the interest and ${k} of the loan. A year later {p.he} paid the
    interest on what was still owed and cleared the rest. How many dollars did the lender get back in all?
    - The first year's interest was ${num(x)} * {t} / 100 = {usd(x * t)}.
    - So the first payment was {usd(x * t)} + ${num(k)} = {usd(x * t + 100 * k)}.
    - Still owed were ${num(x)} - ${num(k)} = ${num(x - k)}.
    - Interest on this was ${num(x - k)} * {t} / 100 = {usd((x - k) * t)}.
    - The second payment was ${num(x - k)} + {usd((x - k) * t)} = {usd((x - k) * (100 + t))}.
    - The lender got {usd(x * t + 100 * k)} + {usd((x - k) * (100 + t))} = {usd(x * (100 + t) + (x - k) * t)}.
    = {usd(100 * x + 2 * x * t - k * t)}"""
    x, s, n = r.roll(600, 1500, 100), r.roll(2, 4), r.roll(2, 5)
    yield f"""A village fund of €{num(x)} grew to {eur(x * (100 + s * n))} in {n} years of simple interest. At what
    yearly rate, in percent, was the interest paid?
    - The fund grew by {eur(x * (100 + s * n))} - €{num(x)} = {eur(x * s * n)}.
    - Per year that is {eur(x * s * n)} / {n} = {eur(x * s)}.
    - One percent of the fund is €{num(x)} / 100 = {eur(x)}.
    - The rate is {eur(x * s)} / {eur(x)} = {s} percent.
    = {s * n // n}"""
    x, t = r.roll(1200, 3600, 600), r.pick(5, 10)
    p, q = r.person(), r.person()
    yield f"""{p} put ${num(x)} into a credit union at {t}% simple interest. {q} kept the same amount in a drawer. Two
    and a half years later, how much more money does {p} have than {q}?
    - {p}'s money earns ${num(x)} * {t} / 100 = {usd(x * t)} a year.
    - In 2.5 years that is 2.5 * {usd(x * t)} = {usd(x * t * 5 // 2)}, and {q}'s drawer added nothing.
    = {usd(x * (200 + 5 * t) // 2 - 100 * x)}"""


@shape("plans")
def plans(r: Draw) -> Iterator[str]:
    x, k, n = r.roll(10, 16), r.roll(4, 8), r.roll(6, 12)
    yield f"""Phone plan A costs ${x + k} a month and includes everything. Plan B costs ${x} a month plus 10 cents for
    each minute of calls. {r.person()} calls for {k * 10 + n * 5} minutes a month. How much does plan A save every
    month?
    - The calls on plan B cost {k * 10 + n * 5} * 10 = {num(k * 100 + n * 50)} cents, which is
    {usd(k * 100 + n * 50)}.
    - Plan B therefore costs ${x} + {usd(k * 100 + n * 50)} = {usd((x + k) * 100 + n * 50)}.
    - Plan A saves {usd((x + k) * 100 + n * 50)} - ${x + k} = {usd(n * 50)}.
    = {num(n, 2)}"""
    x, y, k, p = r.roll(4, 6), r.roll(7, 9), r.roll(8, 15), r.person()
    yield f"""A single visit to the {r.pick("climbing hall", "sauna", "ice rink")} is ${y}. Members pay a yearly fee
    of ${(y - x) * k} and only ${x} a visit. From how many visits a year on does {p} pay no more as a member?
    - A member saves ${y} - ${x} = ${y - x} a visit.
    - The fee is earned back after {(y - x) * k} / {y - x} = {k} visits.
    = {next(v for v in range(99) if (y - x) * k + v * x <= v * y)}"""
    x, g, k, n = r.roll(15, 25), r.roll(5, 10), r.roll(2, 4), r.roll(3, 9)
    p = r.person()
    yield f"""{p}'s contract costs ${x} a month with {g} GB of data; every further GB is ${k}. In
    {r.pick("July", "March", "October")} {p.he} used {g + n} GB. In the month after, {p.he} used {g - 2} GB. What did
    the two months cost together?
    - In the first month {p} went over by {g + n} - {g} = {n} GB.
    - The extra data cost {n} * ${k} = ${n * k}.
    - That month came to ${x} + ${n * k} = ${x + n * k}.
    - The second month stayed within the limit and cost ${x}, so both cost ${x + n * k} + ${x} = ${2 * x + n * k}.
    = {sum(x + max(0, used - g) * k for used in (g + n, g - 2))}"""
    x, y, n, m = r.roll(40, 60, 5), r.roll(15, 25), r.roll(3, 5), r.roll(20, 30, 5)
    t = r.pick(20, 25, 40, 50)
    d = n * m
    yield f"""To move house, {r.person()} compares two vans for {n} days and {d} km. The red one is ${x} a day with
    all kilometers free. The white one is ${y} a day and {t} cents a kilometer. How many dollars cheaper is the white
    one?
    - The red van costs {n} * ${x} = ${n * x}.
    - The white van's daily charge is {n} * ${y} = ${n * y}.
    - Its kilometers cost {d} * {t} / 100 = {num(d * t, 100)} dollars.
    - The white van costs {n * y} + {num(d * t, 100)} = {num(n * y * 100 + d * t, 100)} dollars.
    - It is cheaper by {n * x} - {num(n * y * 100 + d * t, 100)} = {num(100 * n * (x - y) - d * t, 100)} dollars.
    = {num(n * (100 * x - 100 * y - m * t), 100)}"""
    x, y, k, n = r.roll(9, 12), r.roll(13, 16), r.roll(4, 6), r.roll(20, 40, 5)
    p = r.person()
    yield f"""A streaming service costs ${y} month by month, or ${x * 12} when a whole year is paid at once. {p} is
    not sure to keep it and pays monthly for {k} months before cancelling. Setting it up cost ${n} for a cable either
    way. How much less did {p} spend than with the yearly payment?
    - Month by month {p} paid {k} * ${y} = ${k * y}.
    - With the cable that is ${k * y} + ${n} = ${k * y + n}.
    - The yearly payment with the cable would be ${x * 12} + ${n} = ${12 * x + n}.
    - {p} spent ${12 * x + n} - ${k * y + n} = ${12 * x - k * y} less.
    = {12 * x - k * y}"""
    x, k, y, n, m = r.roll(6, 8), r.roll(10, 15), r.roll(2, 3), r.roll(4, 8), r.roll(20, 40, 10)
    yield f"""The water company bills ${k} a quarter plus ${y} for each cubic meter up to {m} and ${x} for each one
    above. The {r.pick("Moreau", "Petrov", "Tanaka")} family used {m + n} cubic meters. What is their quarterly bill?
    - The first {m} cubic meters cost {m} * ${y} = ${m * y}.
    - The other {m + n} - {m} = {n} are charged at the higher price.
    - They cost {n} * ${x} = ${n * x}.
    - The bill is ${k} + ${m * y} + ${n * x} = ${k + m * y + n * x}.
    = {k + (m + n) * x - m * (x - y)}"""


@shape("tickets")
def tickets(r: Draw) -> Iterator[str]:
    n, m, x, y = r.roll(20, 60), r.roll(15, 50), r.roll(5, 7), r.roll(9, 12)
    show = r.pick("puppet show", "school play", "magic evening")
    yield f"""For a {show}, {n + m} tickets were sold: ${x} for children, ${y} for adults. The box office took
    ${n * x + m * y}. How many adults came?
    - If all had been children, the takings would be {n + m} * ${x} = ${(n + m) * x}.
    - The real takings are higher by ${n * x + m * y} - ${(n + m) * x} = ${m * (y - x)}.
    - Each adult brings ${y} - ${x} = ${y - x} more than a child.
    - So there were {m * (y - x)} / {y - x} = {m} adults.
    = {next(a for a in range(n + m + 1) if a * y + (n + m - a) * x == n * x + m * y)}"""
    n, m = r.roll(5, 12), r.roll(4, 9)
    yield f"""The bike shed has bicycles and tricycles in it, {n + m} in all, and a bored child counts {2 * n + 3 * m}
    wheels. How many {r.pick("of them are tricycles", "tricycles are there")}?
    - If every one were a bicycle, there would be {n + m} * 2 = {2 * (n + m)} wheels.
    - The child counted {2 * n + 3 * m} - {2 * (n + m)} = {m} more.
    - Each tricycle has 3 - 2 = 1 wheel more than a bicycle, so there are {m} / 1 = {m} tricycles.
    = {next(t for t in range(n + m + 1) if 3 * t + 2 * (n + m - t) == 2 * n + 3 * m)}"""
    n, m, p = r.roll(8, 20), r.roll(6, 15), r.person()
    yield f"""{p} empties a jar of coins that holds only dimes and quarters. There are {n + m} coins worth
    {usd(10 * n + 25 * m)} together. How many dimes are among them?
    - All quarters would make {n + m} * 25 = {num(25 * (n + m))} cents.
    - The jar is worth {num(10 * n + 25 * m)} cents, which is {num(25 * (n + m))} - {num(10 * n + 25 * m)} = {15 * n}
    cents less.
    - Swapping a quarter for a dime loses 25 - 10 = 15 cents.
    - So {15 * n} / 15 = {n} of the coins are dimes.
    = {next(d for d in range(n + m + 1) if d * 10 + (n + m - d) * 25 == 10 * n + 25 * m)}"""
    x, y, n, m = r.roll(3, 5), r.roll(7, 10), r.roll(2, 4), r.roll(2, 3)
    yield f"""At the {r.pick("aquarium", "botanical garden", "wildlife park")}, {n} adults and {m} children pay
    ${n * y + m * x}, while {n} adults and {m + 3} children pay ${n * y + (m + 3) * x}. What is the price for one
    adult?
    - The second group has 3 more children and pays ${n * y + (m + 3) * x} - ${n * y + m * x} = ${3 * x} more.
    - A child costs ${3 * x} / 3 = ${x}.
    - In the first group the children pay {m} * ${x} = ${m * x}.
    - That leaves ${n * y + m * x} - ${m * x} = ${n * y} for the adults.
    - One adult pays ${n * y} / {n} = ${y}.
    = {(n * y + m * x - m * x) // n}"""
    n, x, k, m = r.roll(30, 60, 5), r.roll(6, 9), r.roll(2, 4), r.roll(10, 25)
    p = r.person()
    yield f"""{p} sells seats for an open-air concert. Seats near the stage cost twice as much as lawn seats, and
    there are {m} of them against {n} on the lawn. All are sold, for ${(n + 2 * m) * x} altogether; {p} then pays
    ${k * 40} for the lights. How much does a seat near the stage cost?
    - Each seat near the stage counts like two lawn seats, so {m} of them count like {m} * 2 = {2 * m}.
    - That makes {n} + {2 * m} = {n + 2 * m} lawn prices.
    - A lawn seat costs ${(n + 2 * m) * x} / {n + 2 * m} = ${x}; the lights do not matter.
    - A seat near the stage costs 2 * ${x} = ${2 * x}.
    = {next(s for s in range(2, 99, 2) if m * s + n * s // 2 == (n + 2 * m) * x)}"""
    n, m = r.roll(6, 14), r.roll(5, 12)
    yield f"""A farm boards horses and geese. Looking under the fence you count {n + m} animals' worth of tails and
    {4 * n + 2 * m} legs. How many horses live there?
    - If all the animals were geese, they would stand on {n + m} * 2 = {2 * (n + m)} legs.
    - There are {4 * n + 2 * m} - {2 * (n + m)} = {2 * n} legs more than that.
    - A horse has 4 - 2 = 2 legs more than a goose.
    - So there are {2 * n} / 2 = {n} horses.
    = {next(h for h in range(n + m + 1) if 4 * h + 2 * (n + m - h) == 4 * n + 2 * m)}"""
