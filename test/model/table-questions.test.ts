/** The offline model over tables: it counts and compares by queries, and says when it cannot. */
import { afterAll, describe, expect, it } from 'vitest';
import { asksForFigure, needsFigure } from '../../engines/models/extractive/figures/figure-words.ts';
import { planFigure } from '../../engines/models/extractive/figures/table-questions.ts';
import { writeXlsx } from '../../engines/outputs/workbook.ts';
import { openAgent } from '../agents/setup.ts';
import { expectWithin } from '../expect-time.ts';
import { processorMs } from '../machine-speed.ts';

const at = openAgent();
afterAll(() => at.close());

const SALES = `Order date,Customer,Region,Product,Amount (EUR)
2025-11-03,Hofmann GmbH,North,Pump,1200.10
2025-12-11,Birch Ltd,South,Valve,80.20
2026-01-09,Hofmann GmbH,North,Valve,95.70
2026-01-20,Okafor & Sons,South,Pump,2400.00
2026-02-02,Birch Ltd,North,Gasket,12.40
2026-02-14,Okafor & Sons,South,Valve,310.00
Total,,,,4098.40
`;

async function asked(prompt: string, ...files: [name: string, text: string][]): Promise<string> {
  const fileIds = await Promise.all(files.map(([name, text]) => at.storeText(name, text)));
  return (await at.run({ prompt, fileIds })).text?.replace(/\n\n_Written by[\s\S]*$/, '') ?? '';
}
const ofSales = (prompt: string) => asked(prompt, ['sales.csv', SALES]);

describe('answers with a figure and its rows', () => {
  it.each([
    ['How many orders in the North region were there?', /^\*\*3\*\* rows[\s\S]*rows 1, 3, 5 of the table/],
    ['How many orders with Valve were there in 2026?', /^\*\*2\*\* rows[\s\S]*rows 3, 6 of the table/],
    ['What is the total amount for Birch?', /is \*\*92\.6\*\*, over 2 rows[\s\S]*rows 2, 5/],
    ['What was the average amount in January 2026?', /is \*\*1247\.85\*\*, over 2 rows/],
    ['What is the average amount without the North region?', /is \*\*930\.0\d*\*\*, over 3 rows/],
    ['Which order had the highest amount?', /^The highest Amount \(EUR\):\n\n- .*2026-01-20.*Okafor & Sons.*2400\.00/],
    ['What was the lowest amount in the South region?', /80\.20/],
    [
      'Which customer had more amount, Hofmann or Birch?',
      /^\*\*Hofmann GmbH\*\* has more .*1295\.8, against 92\.6 for Birch Ltd/,
    ],
    ['How many different customers are there?', /^\*\*3\*\* different values of Customer/],
    ['How many orders were there after January 2026?', /^\*\*2\*\* rows[\s\S]*rows 5, 6 of the table/],
    ['How many rows does the table have?', /^\*\*6\*\* rows/],
    ['What was the average amount per region?', /South: \*\*930\.07\*\* \(3 rows\)\n- North: \*\*436\.07\*\*/],
    [
      'How many orders with Pump or Valve were there?',
      /^\*\*5\*\* rows .*Product = Pump or Valve[\s\S]*rows 1, 2, 3, 4, 6/,
    ],
    ['Which order was the most expensive?', /2026-01-20.*Okafor & Sons.*2400\.00/],
  ])('%s', async (prompt, answer) => expect(await ofSales(prompt)).toMatch(answer));

  it('sums the column that the noun of a count names', async () => {
    const hours = 'Person,Project,Hours\nAda,Pier,7.5\nBo,Pier,4\nAda,Dam,3.25\n';
    expect(await asked('How many hours did Ada work?', ['hours.csv', hours])).toMatch(/Hours is \*\*10\.75\*\*/);
  });

  it('reads a word as a value where its column is named, and reads "le plus de"', async () => {
    const tickets =
      'Ticket,Agent,Priority,Minutes\nT1,Mona,High,30\nT2,Piet,Low,12\nT3,Mona,High,45\nT4,Piet,High,80\n';
    const answer = (prompt: string) => asked(prompt, ['tickets.csv', tickets]);
    expect(await answer('How many high priority tickets did Mona handle?')).toMatch(/^\*\*2\*\* rows[\s\S]*rows 1, 3/);
    expect(await answer('Quel ticket a le plus de minutes ?')).toMatch(/T4.*80/);
    expect(await answer('How many urgent tickets are there?')).toContain('I cannot count');
  });

  const MEMBERS = `member_id,memberName,sex,Licensed,day,Kind,avgPoints
17,Anna,Female,Yes,Sun,Van,10
23,Bert,Male,No,Sun,Car,20
31,Carl,Male,Yes,Mon,Van,40
48,Dora,Female,No,Tue,Bus,70
`;
  it.each([
    ['How many members are there?', /^\*\*4\*\* /],
    ['How many women are there?', /^\*\*2\*\* rows .*sex = Female/],
    [
      'What is the average number of points of licensed men?',
      /is \*\*40\*\*, over 1 row with sex = Male.*Licensed = Yes/,
    ],
    ['What is the average of the points of a van?', /is \*\*25\*\*, over 2 rows with Kind = Van/],
    ['What is the total of the points on Sunday?', /is \*\*30\*\*, over 2 rows with day = Sun/],
    ['Compare the average points of men and women.', /Female: \*\*40\*\* \(2 rows\)\n- Male: \*\*30\*\* \(2 rows\)/],
    ['Which member has the highest points level?', /memberName: Dora/],
  ])('counts people, days and words in two languages: %s', async (prompt, answer) =>
    expect(await asked(prompt, ['members.csv', MEMBERS])).toMatch(answer),
  );

  it.each([
    'What is the average of the points of a lorry?',
    'What is the average of the points of non-licensed men?',
    'What is the average of the points on Friday?',
    'How many votes did Anna get?',
  ])('does not ignore whom or what the question is about: %s', async (prompt) =>
    expect(await asked(prompt, ['members.csv', MEMBERS])).toContain('I cannot count'),
  );

  const RIDES = `maker,hp,mpg,tsize,libPrice,kindOfCar,gear,horTh,sleep_total,sleep_rem
Audi,110,21,5,900,Van,4,yes,8,1
Saab,93,30,7,300,Large,5,no,10,2
Audi,175,18,9,600,Large,4,yes,12,3
`;
  it.each([
    ['What is the average horsepower?', /average of hp is \*\*126\*\*[\s\S]*Here “horsepower” is the column hp\./],
    ['What is the highest number of miles per gallon?', /mpg: 30[\s\S]*Here “miles per gallon” is the column mpg\./],
    ['What is the average tumor size?', /average of tsize is \*\*7\*\*[\s\S]*“tumor size” is the column tsize/],
    ['What is the total library price of Audi?', /sum of libPrice is \*\*1500\*\*, over 2 rows with maker = Audi/],
    ['How many cars have 4 gears?', /^\*\*2\*\* rows of cars\.csv with gear = 4/],
    ['What is the average horsepower of gear 5?', /average of hp is \*\*93\*\*, over 1 row with gear = 5/],
    ['How many cars had hormone therapy?', /^\*\*2\*\* rows of cars\.csv with horTh = yes/],
    ['What is the average sleep of Audi?', /average of sleep\\?_total is \*\*10\*\*/],
    [
      'Do vans or large cars have more horsepower on average?',
      /\*\*Large\*\* has a higher average of hp: 134, against 110/,
    ],
  ])('matches headings that abbreviate words of the question: %s', async (prompt, answer) =>
    expect(await asked(prompt, ['cars.csv', RIDES])).toMatch(answer),
  );

  it('matches values that begin a word of the question, and marks that name things', async () => {
    const boats = 'boat,side,men,nation\n7,Port,13,CAN\n5,Starb,6,US\nA,Port,2,CAN\n9,Starb,1,US\n';
    const answer = (prompt: string) => asked(prompt, ['list.csv', boats]);
    expect(await answer('How many men were there on the starboard side?')).toMatch(/sum of men is \*\*7\*\*/);
    expect(await answer('What is the average number of men in Canada?')).toMatch(/average of men is \*\*7\.5\*\*/);
    expect(await answer('How many different boats are there?')).toMatch(/\*\*4\*\* different values of boat/);
    expect(await answer('What is the difference between men and boats?')).toContain('I cannot count');
  });

  it('computes one figure for each group, sorted as numbers, also large and long ones', async () => {
    const schools = `county,school,teachers,price,wool
West,A1,998.190010070801,1e+05,D
East,B1,901.150024414062,0.510200023651123,E
East,B2,2101.55000305176,20,D
`;
    const answer = (prompt: string) => asked(prompt, ['list.csv', schools]);
    expect(await answer('Which county has the most teachers?')).toMatch(/- East: \*\*3002\.70002746\d*\*\* \(2 rows\)/);
    expect(await answer('What is the highest price?')).toContain('school: A1');
    expect(await answer('What is the average price of wool D?')).toMatch(/is \*\*50010\*\*, over 2 rows with wool = D/);
    expect(await answer('What is the average price?')).toMatch(/over 3 rows/);
    expect(await answer('What is the average price in the west with 4 rooms?')).toContain('I cannot count');
  });

  it('uses no other column than the one that a question measures', async () => {
    const teams = 'team,person\n1,Ada\n2,Bo\n';
    const people = 'name,age,height\nAda,30,170\nBo,40,181\n';
    const answer = await asked('Who is the tallest person?', ['teams.csv', teams], ['people.csv', people]);
    expect(answer).not.toMatch(/highest team/);
    expect(await asked('Who is the tallest?', ['people.csv', people])).toMatch(/highest height[\s\S]*name: Bo/);
    expect(await asked('Who is the heaviest?', ['people.csv', people])).not.toMatch(/highest/);
  });

  it('states which words of a question the table does not have', async () => {
    const votes = 'county,Ada,Bob\nWest,10,20\nEast,40,5\n';
    const answer = (prompt: string) => asked(prompt, ['list.csv', votes]);
    expect(await answer('How many votes did Ada get in total?')).toMatch(
      /sum of Ada is \*\*50\*\*, over 2 rows\.[\s\S]*\n\nCheck this: nothing in the table is called “votes”\./,
    );
    expect(await answer('What is the difference between the votes of Ada and Bob?')).toMatch(
      /difference is \*\*25\*\*[\s\S]*Check this/,
    );
    expect(await answer('How many invalid votes were there in the West?')).toContain('I cannot count');
    expect(await answer('What is the average of Ada among farmers?')).toContain('I cannot count');
  });

  it('counts people where the table is one of people, and no row numbers as a figure', async () => {
    const ward = ',sex,age,Ward\n1,F,30,North\n2,M,50,North\n3,F,40,South\n';
    const answer = (prompt: string) => asked(prompt, ['ward.csv', ward]);
    expect(await answer('How many patients in the North were female?')).toMatch(/^\*\*1\*\* row/);
    expect(await answer('What is the average age of the patients?')).toMatch(/is \*\*40\*\*, over 3 rows/);
    expect(await answer('What is the average salary of women?')).toContain('I cannot count');
    expect(await ofSales('How many patients were there in the North?')).not.toMatch(/\*\*\d/);
  });

  it('does not quote a row as the best one', async () => {
    expect(await ofSales('Which order was the best?')).toContain('I cannot count');
  });

  it('reads a name that is also a heading as the column, unless its own column is named', async () => {
    const votes = 'town,Ada,Bob,winner\nWest,10,20,Bob\nEast,40,5,Ada\nPort,7,9,Bob\n';
    expect(await asked('What is the total for Bob?', ['votes.csv', votes])).toMatch(
      /sum of Bob is \*\*34\*\*, over 3 rows\./,
    );
    expect(await asked('How many towns had Bob as winner?', ['votes.csv', votes])).toMatch(/^\*\*2\*\* /);
  });

  it('names rows by a column without a heading', async () => {
    const drinks = ',maker,sugar\nMild Cola,A,9\nTonic,B,4\n';
    expect(await asked('Which drink has the most sugar?', ['list.csv', drinks])).toContain('Mild Cola');
  });

  it('lists values, each once, instead of quoting rows', async () => {
    const text = await ofSales('List all customers in the North region.');
    expect(text).toMatch(/^Customer in sales\.csv with Region = North:\n\n- Hofmann GmbH\n- Birch Ltd\n\n\*\*Sources/);
    expect(await ofSales('List all products.')).toMatch(/^Product in sales\.csv:\n\n- Pump\n- Valve\n- Gasket\n\n/);
  });

  it('does not count a month where a day is asked for', async () => {
    expect(await ofSales('How many orders were there on 9 January 2026?')).not.toMatch(/\*\*2\*\* rows/);
  });

  it('uses the one of two files that fits', async () => {
    const notes = 'Name,Note\nBirch Ltd,late\nHofmann GmbH,early\n';
    expect(
      await asked('What is the total amount for Birch in 2025?', ['notes.csv', notes], ['sales.csv', SALES]),
    ).toMatch(/is \*\*80\.2\*\*/);
  });

  it('uses a table beside prose, for words of use and verbs before a superlative', async () => {
    const review = `# Energy review\n\nGas rose by 3 percent in the cold winter.\n\n| Site | Power (MWh) | Gas (MWh) |
| --- | --- | --- |\n| Mill | 7,552 | 20,340 |\n| Dock | 6,100 | 18,960 |\n`;
    const answer = (prompt: string) => asked(prompt, ['review.md', review]);
    expect(await answer('Which site uses the most gas?')).toMatch(/^The highest Gas \(MWh\):\n\n- .*Mill.*20,340/);
    expect(await answer('What is the total gas consumption of all sites?')).toMatch(/Gas \(MWh\) is \*\*39300\*\*/);
    expect(await answer('Which site burns the most gas?')).toMatch(
      /Mill[\s\S]*Check this: nothing in the table is called “burns”\./,
    );
    expect(await answer('What is the total gas price of all sites?')).not.toContain('39300');
  });

  it('uses a table in a text', async () => {
    const text = '# Fleet\n\n| Van | Mileage |\n| --- | --- |\n| A1 | 12,400 |\n| B2 | 98,100 |\n| C3 | 7,050 |\n';
    expect(await asked('Which van has the highest mileage?', ['fleet.md', text])).toMatch(/Van: B2, Mileage: 98,100/);
  });
});

const PARCELS = `Parcel No,Sender,Ctry,Booked on,Shipped on,Delivered on,State,Pieces,Net fee (EUR),Insured
P-71,Aalto Oy,FI,2026-01-05,2026-01-07,2026-01-09,delivered,4,120.50,yes
P-72,Bruma SA,PT,2026-01-12,2026-01-13,2026-01-19,delivered,10,640.00,no
P-73,Corvi Srl,IT,2026-01-20,2026-01-28,2026-02-03,delivered,2,88.00,yes
P-74,Aalto Oy,FI,2026-02-02,2026-02-04,2026-02-06,delivered,7,310.25,no
P-75,Delft BV,PT,2026-02-14,2026-02-20,2026-02-27,returned,12,980.00,yes
P-76,Bruma SA,PT,2026-02-25,2026-03-01,2026-03-03,delivered,3,150.00,no
P-77,Corvi Srl,IT,2026-03-08,2026-03-09,,shipped,5,275.00,no
P-78,Elmo Ltd,IE,2026-03-11,,,cancelled,1,45.00,no
P-79,Aalto Oy,FI,2026-03-18,2026-03-21,,shipped,20,1500.00,yes
P-80,Farro Ltd,IE,2026-04-01,,,waiting,6,330.00,no
`;
const ofParcels = (prompt: string) => asked(prompt, ['parcels.csv', PARCELS]);

describe('reads what limits rows and groups', () => {
  it.each([
    ['How many parcels cost between 100 and 400?', /^\*\*5\*\* rows/],
    ['How many parcels have not been delivered yet?', /^\*\*4\*\* rows .*Delivered on empty/],
    ['How many parcels since 15 January 2026 and before 1 March 2026?', /^\*\*4\*\* rows/],
    ['How many parcels were booked in Q1?', /^\*\*9\*\* rows/],
    ['How much did Aalto spend from January to February?', /is \*\*430\.75\*\*, over 2 rows/],
    ['What is the total fee excluding cancelled and returned parcels?', /is \*\*3413\.75\*\*, over 8 rows/],
    ['Which senders have more than two parcels?', /Number of rows for each Sender[^-]*- Aalto Oy: \*\*3\*\*\n\n/],
    [
      'Which senders booked more than once?',
      /- Aalto Oy: \*\*3\*\*.*\n- Bruma SA: \*\*2\*\*.*\n- Corvi Srl: \*\*2\*\*.*\n\n/,
    ],
    [
      'Which senders have an average fee over 500?',
      /^Average of Net fee[^-]*- Delft BV: \*\*980\*\*.*\n- Aalto Oy: \*\*643\.58\*\*.*\n\n/,
    ],
    ['Which parcels are above the average fee?', /P-72[\s\S]*P-75[\s\S]*P-79/],
    ['What is the difference between the highest and the lowest fee?', /is \*\*1455\*\*/],
    ['How many parcels went to Portugal?', /^\*\*3\*\* rows .*Ctry = PT/],
    ['Wie viele Lieferungen gingen nach Irland?', /^\*\*2\*\* rows .*Ctry = IE/],
    ['Net fee of each sender', /^Sum of Net fee \(EUR\) for each Sender:\n\n- Aalto Oy: \*\*1930\.75\*\*/],
    ['What was the first parcel?', /P-71/],
    ['Which month had the highest fee?', /2026-03: \*\*1820\*\*/],
  ])('%s', async (prompt, answer) => expect(await ofParcels(prompt)).toMatch(answer));

  it('counts the days between two columns of days', async () => {
    expect(await ofParcels('How many days passed between booking and delivery of P-75?')).toMatch(/P-75: \*\*13\*\*/);
    expect(await ofParcels('How long does it take on average from booked to shipped?')).toMatch(/is \*\*3\.38\*\*/);
    expect(await ofParcels('Which parcels took more than 6 days from booked to shipped?')).toMatch(/P-73/);
  });

  it('names one cell, and no other cell for one that the table does not have', async () => {
    expect(await ofParcels('What is the fee of parcel P-77?')).toMatch(/No = P-77: \*\*275\.00\*\*/);
    expect(await ofParcels('What was the packing cost of P-77?')).not.toContain('**275');
  });

  it('reads several limits, each of the column that it names, and says that a cell is empty', async () => {
    const machines =
      'Machine,Faults,Hours run,Downtime (h)\nM1,3,900,14\nM2,9,700,61\nM3,12,30,96\nM4,1,80,2\nM5,0,10,\n';
    expect(
      await asked('How many machines had more than 2 faults and more than 20 hours of downtime?', ['m.csv', machines]),
    ).toMatch(/^\*\*2\*\* /);
    expect(await asked('What is the downtime of M5?', ['m.csv', machines])).toMatch(/^\*\*Empty\*\*: Downtime \(h\)/);
  });

  it('takes no negation for a word without meaning', async () =>
    expect(await ofParcels('Combien de Sender ne sont pas venus ?')).toContain('I cannot count'));

  it('does not guess what counts from today', async () =>
    expect(await ofParcels('How many parcels were booked last month?')).not.toMatch(/\*\*\d+\*\* rows/));
});

describe('reads verbs that no heading has, and what is sold out', () => {
  const CLUB = 'Member,Branch,Joined\nAda Noor,East,2024-03-01\nBo Lind,West,2023-05-09\nCy Hale,East,2024-11-20\n';
  const GOODS = 'Article,Qty on hand,Unit price\nRope,0,4.50\nSail,12,80.00\nPaint,0,14.50\n';

  it.each([
    ['How many people signed up with us in 2024?', /^\*\*2\*\* rows[\s\S]*Check this: .*“signed”/],
    ['When did Bo Lind sign up?', /2023-05-09[\s\S]*the column Joined[\s\S]*Check this: .*“sign”/],
    ['Who has joined us since the beginning of 2024?', /Ada Noor[\s\S]*Cy Hale/],
    ['How many members were banned in 2024?', /I cannot count/],
    ['How many banned members were there in 2024?', /I cannot count/],
  ])('%s', async (prompt, pattern) => expect(await asked(prompt, ['members.csv', CLUB])).toMatch(pattern));

  it.each([
    ['Is anything out of stock?', /Rope[\s\S]*Paint/],
    ['How many articles have we run out of?', /^\*\*2\*\*/],
    ['Welche Artikel sind ausverkauft?', /Rope[\s\S]*Paint/],
  ])('%s', async (prompt, pattern) => {
    const text = await asked(prompt, ['goods.csv', GOODS]);
    expect(text).toMatch(pattern);
    expect(text).not.toContain('Sail');
  });
});

describe('compares and shares', () => {
  const CLAIMS = 'Claim,Carrier,Country,Claimed (EUR)\nC1,Aro,NO,100\nC2,Bex,MT,50\nC3,Aro,NO,50\nC4,Aro,MT,200\n';
  const answer = (prompt: string) => asked(prompt, ['claims.csv', CLAIMS]);

  it.each([
    [
      'Share of claims by carrier',
      /Number of rows for each Carrier:\n\n- Aro: \*\*75 %\*\* \(3 rows\)\n- Bex: \*\*25 %\*\*/,
    ],
    ['What percentage of the claimed amount does each carrier have?', /Claimed .*\n\n- Aro: \*\*87\.5 %\*\*/],
    ['Did more claims about lost parcels come from Aro than from Bex?', /No passage answers|I cannot count/],
    ['Did more of the claims come from Aro than from Bex?', /\*\*Aro\*\* has more rows: 3, against 1 for Bex/],
  ])('%s', async (prompt, pattern) => expect(await answer(prompt)).toMatch(pattern));
});

describe('tells what two tables share, and what one lacks', () => {
  const BUYERS = 'Buyer No,Name,Country\nB1,Abel,Norway\nB2,Baker,Malta\nB3,Crane,Norway\n';
  const ORDERS = 'Order,Buyer No,Article,Sent\nO1,B1,Rope,2026-01-05\nO2,B1,Filing box,2026-02-07\nO3,B9,Rope,\n';
  const answer = (prompt: string) => asked(prompt, ['buyers.csv', BUYERS], ['orders.csv', ORDERS]);

  it.each([
    ['Which buyers have never placed an order?', /Baker[\s\S]*Crane/, /Abel/],
    ['How many buyers have no orders?', /^\*\*2\*\* rows of buyers\.csv whose Buyer No is not in orders\.csv/, /O1/],
    ['Which buyers from Norway have no orders?', /Country = Norway[\s\S]*Crane/, /Abel|Baker/],
    ['Welche Käufer aus buyers haben keine orders?', /Baker[\s\S]*Crane/, /Abel/],
    ['How many orders have no buyer in the list of buyers?', /^\*\*1\*\* row of orders\.csv/, /Abel/],
    ['Which buyers are in both files?', /Abel/, /Baker|Crane|Filing/],
  ])('%s', async (prompt, pattern, other) => {
    const [text = ''] = (await answer(prompt)).split('**Sources**');
    expect(text).toMatch(pattern);
    expect(text).not.toMatch(other);
  });

  it.each(['Which orders were never insured?', 'Which buyers have not complained about an order with 7 parts?'])(
    'and does not where another thing is lacking: %s',
    async (prompt) => expect(await answer(prompt)).not.toMatch(/whose Buyer No is/),
  );
});

describe('finds the column that is meant', () => {
  const BOATS = `Berth,Skipper,Boat type,Nights,Crews,Crew,Fee/night (EUR),Paid
11,Ruiz,Yawl,4,3,Finn,20.00,yes
12,Olsen,Ketch,9,1,Mara,30.00,no
13,Ruiz,Yawl,2,2,Finn,40.00,yes
14,Okoye,Ketch,1,3,Mara,30.00,yes
`;
  const STAFF = `Name;Abteilung;Gehalt brutto;Wochenstunden
Yildiz, Cem;Lager;2.980,50;38
Sommer, Ute;Vertrieb;5.120,00;32
Kern, Jan;Lager;2.870,00;38
`;
  it.each([
    ['How many berths are paid?', /^\*\*3\*\* rows of boats\.csv with Paid = yes/],
    ['Which crew came most often?', /Number of rows for each Crew:\n\n- Finn: \*\*2\*\*\n- Mara: \*\*2\*\*/],
    ['What is the average price per night?', /average of Fee\/night \(EUR\) is \*\*30\*\*, over 4 rows/],
  ])('%s', async (question, answer) => expect(await asked(question, ['boats.csv', BOATS])).toMatch(answer));

  it.each([
    ['Wer verdient am meisten?', /Sommer, Ute/],
    ['Wie hoch ist die Lohnsumme im Lager?', /5850[.,]5/],
    ['Wer arbeitet weniger als 35 Stunden?', /Sommer, Ute/],
  ])('%s', async (question, answer) => {
    const found = await asked(question, ['staff.csv', STAFF]);
    expect(found).toMatch(answer);
    expect(found).not.toContain('Yildiz, Cem;');
  });

  it('reads no value as another word for a heading, nor a worth as the sum of prices', async () => {
    const plants = 'Bed,Plant,Sort,Pots,Price/pot (GBP)\n1,Box,Shrub,40,4.5\n2,Rowan,Tree,6,38\n3,Hazel,Tree,9,27.5\n';
    const answer = (prompt: string) => asked(prompt, ['plants.csv', plants]);
    expect(await answer('How many rows are trees, and which of them is the most expensive?')).toMatch(
      /^\*\*2\*\* rows .*Sort = Tree[\s\S]*Plant: Rowan/,
    );
    expect(await answer('What are the plants worth in total?')).toContain('I cannot count');
  });

  it('answers in Spanish who earns the most, and two parts about one town', async () => {
    const pay =
      'Empleado;Ciudad;Sueldo bruto;Horas\nRuiz, Ana;Vigo;1.850,00;40\nLago, Iker;León;1.620,50;38\nPons, Eva;Vigo;1.700,00;30\n';
    const answer = (prompt: string) => asked(prompt, ['pay.csv', pay]);
    expect(await answer('¿Quién gana más?')).toMatch(/Ruiz, Ana/);
    expect(await answer('¿Cuántos empleados trabajan en Vigo y cuál es el sueldo medio?')).toMatch(
      /^\*\*2\*\* different values .*Ciudad = Vigo[\s\S]*\*\*1775\*\*, over 2 rows/,
    );
  });

  it('names the one of two that is asked for, reads units, and "not in use"', async () => {
    const fleet =
      'Plate,Driver,Model,Mileage (km),Leasing (EUR/month),In use\nLN-1,Jonas Weber,Ford Transit,132900,455.00,yes\nLN-2,Jonas Weber,Opel Vivaro,99870,441.75,yes\nLN-3,,Renault Kangoo,9800,318.20,no\n';
    const answer = (prompt: string) => asked(prompt, ['fleet.csv', fleet]);
    expect(await answer('Which is cheaper, the Opel or the Ford?')).toMatch(
      /^\*\*Opel Vivaro\*\* has less .*: 441\.75, against 455 for Ford Transit/,
    );
    expect(await answer('How many kilometres has Jonas Weber driven altogether?')).toMatch(
      /Mileage \(km\) is \*\*232770\*\*[\s\S]*“kilometres” is the column Mileage/,
    );
    expect(await answer('How many cars are not in use?')).toMatch(/^\*\*1\*\* row .*In use = no/);
  });

  it('ranks by revenue, which several rows of a group add up to', async () => {
    const visits =
      'Date,Museum,Adults,Revenue (EUR)\n2026-03-02,Harbour Museum,41,533\n2026-03-02,Clock Museum,18,700\n2026-03-09,Harbour Museum,56,768\n2026-04-06,Clock Museum,25,261\n';
    const answer = (prompt: string) => asked(prompt, ['visits.csv', visits]);
    for (const prompt of ['Which museum had the highest revenue?', 'Which museum had the most revenue in March 2026?'])
      expect(await answer(prompt), prompt).toMatch(/^The highest: Sum of Revenue .*\n\n- Harbour Museum: \*\*1301\*\*/);
    expect(await answer('By how much did the revenue of the Clock Museum fall from March to April 2026?')).toMatch(
      /Clock Museum: \*\*-439\*\*, from 700 to 261/,
    );
    expect(await answer('Which museum had the most in total?')).toMatch(/^I cannot count/);
  });

  it('reads no word as the heading of another thing of its kind', async () =>
    expect(
      await asked('How much electricity did we use?', ['gas.csv', 'Month,Gas (kWh)\nJan,90\nFeb,70\n']),
    ).not.toContain('160'));

  it('adds up no prices of one night', async () =>
    expect(await asked('What is the total turnover?', ['boats.csv', BOATS])).toContain('I cannot count'));
});

describe('answers questions of two parts', () => {
  const SHOPS = `Shop,State,Year,Sales,Profit,Stalls
Alder,TX,2025,100,-5,3
Birch,OH,2025,200,20,4
Cedar,TX,2026,300,-1,5
Dogwood,ME,2026,400,40,6
`;
  const ofShops = (prompt: string) => asked(prompt, ['shops.csv', SHOPS]);
  it.each([
    [
      'What are our total sales and total profit over all shops?',
      /Sales is \*\*1000\*\*, over 4 rows[\s\S]*Profit is \*\*54\*\*, over 4 rows/,
    ],
    [
      'What are the total sales and the total profit in Texas?',
      /Sales is \*\*400\*\*, over 2 rows[\s\S]*Profit is \*\*-6\*\*, over 2 rows/,
    ],
    [
      'How many shops are there, and how many are in Texas?',
      /^\*\*4\*\* rows of shops\.csv\.\n\n\*\*2\*\* rows .*State = TX/,
    ],
    ['How many shops made a loss?', /^\*\*2\*\* rows of shops\.csv with Profit under 0/],
    [
      'What is the average of the sales, and which one is the best?',
      /Sales is \*\*250\*\*[\s\S]*I cannot count or compare this part: which one is the best\?/,
    ],
  ])('%s', async (question, answer) => expect(await ofShops(question)).toMatch(answer));

  it('shows the row that is named, with what it does not say', async () => {
    const answer = await ofShops('How many stalls and how many guards does Birch have?');
    expect(answer).toMatch(/^The row of shops\.csv with Shop = Birch:\n\n- Shop: Birch, .*Stalls: 4/);
    expect(answer).toContain('Check this: nothing in the table is called “guards”.');
  });

  it('does not say whether a second question is about the rows of the first', async () =>
    expect(await ofShops('How many shops are in Texas, and how many made a loss?')).toContain('I cannot count'));

  it('shows no row that has nothing of what is asked', async () =>
    expect(await ofShops('How many guards does Birch have?')).toContain('I cannot count'));

  it('compares by what a verb measures, whatever else limits the rows', async () => {
    const birds = 'Kind,Sex,Body Mass (g)\nGannet,MALE,3000\nGannet,FEMALE,2800\nGannet,MALE,3200\nAuk,MALE,900\n';
    const answer = await asked('Among the gannets, how much do males weigh on average compared with females?', [
      'birds.csv',
      birds,
    ]);
    expect(answer).toMatch(
      /Average of Body Mass \(g\)[\s\S]*- MALE: \*\*3100\*\* \(2 rows\)\n- FEMALE: \*\*2800\*\* \(1 row\)/,
    );
  });

  it('ranks by what was compared, and counts among the rows of the first part', async () => {
    const hills = 'Hill,County,Height (m)\nArn,Kent,300\nBell,Kent,900\nCrag,Fife,1200\nDunn,Fife,100\n';
    const answer = (prompt: string) => asked(prompt, ['hills.csv', hills]);
    expect(await answer('How many hills are above 250 metres, and which one is the highest?')).toMatch(
      /^\*\*3\*\* rows [\s\S]*The highest Height \(m\) with Height \(m\) over 250:\n\n- Hill: Crag/,
    );
    expect(await answer('How many hills are in Kent, and how many of them are above 500 metres?')).toMatch(
      /^\*\*2\*\* rows .*County = Kent\.\n\n\*\*1\*\* row .*County = Kent and Height \(m\) over 500/,
    );
  });

  it('shows the row whose value is written in capitals, also beside words of a condition', async () => {
    const codes = 'Code,Airport,Elevation\nEWR,Newark,18\nSEA,Seattle,433\n';
    const answer = await asked('Which airport has the code EWR and how high above sea level is it?', [
      'codes.csv',
      codes,
    ]);
    expect(answer).toMatch(/^The row of codes\.csv with Code = EWR:\n\n- Code: EWR, Airport: Newark, Elevation: 18/);
    expect(answer).not.toContain('Seattle');
  });

  it('does not count rows for passengers that they do not hold', async () => {
    const airports = 'Name,City,Altitude\nHolm Field,Arden,40\nPike Field,Brome,7000\n';
    const answer = (prompt: string) => asked(prompt, ['airports.csv', airports]);
    expect(await answer('How many passengers does Arden handle in a year?')).toContain('I cannot count');
    expect(await answer('How many airports lie above 5000 feet?')).toMatch(/^\*\*1\*\* row .*Altitude over 5000/);
  });
});

it.each([
  ['Who joined first?', /^The earliest Joined:\n\n- Name: Cy/],
  ['Who joined last?', /^The latest Joined:\n\n- Name: Di/],
  ['Who earns the most in 2024?', /^The highest Salary 2024:\n\n- Name: Cy/],
  [
    'How much more does Dina earn than Cyrus in 2023?',
    /^The difference is \*\*3000\*\* \(Salary 2023\): 47000 for Cyrus Marsh/,
  ],
])('orders people by their days and their pay of a year: %s', async (prompt, answer) => {
  const staff =
    'Name,Team,Joined,Salary 2023,Salary 2024\nBo Lind,Design,2021-07-15,45000,47000\nCyrus Marsh,Sales,2018-01-08,47000,60500\nDina Orr,Sales,2022-10-01,44000,50000\n';
  expect(await asked(prompt, ['staff.csv', staff])).toMatch(answer);
});

describe('reads limits, numbered groups and units as they are said', () => {
  const PLAYERS = 'Player,Age,Minutes played\nAnn,35,20\nBo,34,30\nCy,41,10\n';
  const QUAKES = 'time,mag,mag_class,place\n2024-04-01,4.1,Light,Paciran\n2024-04-02,7.1,Major,Sangay\n';
  const CARS = 'model,mpg,cyl\nA,20,4\nB,24,4\nC,15,6\nD,17,6\nE,11,8\n';
  const SLEEP = 'name,order,sleep_total\nOwl monkey,Primates,17\nMan,Primates,8\nCow,Artiodactyla,4\n';
  it.each([
    ['How many players are 35 or older?', PLAYERS, /^\*\*2\*\*/],
    ['Which players are 34 or younger?', PLAYERS, /- Bo(?![\s\S]*- )|\*\*Bo\*\*/],
    ['What was the strongest event and where did it happen?', QUAKES, /^The highest mag:\n\n- .*Sangay/],
    ['What is the average mpg of 6-cylinder cars?', CARS, /is \*\*16\*\*, over 2 rows with cyl = 6/],
    [
      'What is the difference in average mileage between 4-cylinder and 6-cylinder cars?',
      CARS,
      /^The difference is \*\*6\*\* \(average of mpg\): 22 for 4, 16 for 6/,
    ],
    [
      'How many hours a day do primates sleep on average?',
      SLEEP,
      /sleep_total is \*\*12\.5\*\*, over 2 rows[\s\S]*“hours”/,
    ],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['data.csv', table])).toMatch(answer));
});

describe('reads columns that are called by their year', () => {
  const MUSEUMS =
    'Museum,Town,Visitors 2023,Visitors 2024,Staff 2024\nPort Museum,Lund,41000,52500,12\nGlass House,Lund,8000,7400,3\nMill,Ystad,9100,15900,5\n';
  const PLAIN = 'Country,2020,2021\nNorway,90,120\nMalta,130,140\nPeru,100,80\n';

  it.each([
    ['How many visitors did the Glass House have in 2024?', MUSEUMS, /Visitors 2024 is \*\*7400\*\*/],
    ['What was the total number of visitors in 2023?', MUSEUMS, /Visitors 2023 is \*\*58100\*\*, over 3 rows/],
    ['Which museum had the most visitors in 2024?', MUSEUMS, /^The highest Visitors 2024:\n\n- .*Port Museum/],
    ['How many countries had more than 100 in 2021?', PLAIN, /^I cannot count/],
    [
      'Did the Mill have more visitors than the Port Museum in 2024?',
      MUSEUMS,
      /^\*\*Port Museum\*\* has more Visitors 2024/,
    ],
    ['Which town had the highest average visitors in 2024?', MUSEUMS, /Lund: \*\*29950\*\*/],
    ['Which town had the most visitors in 2024?', MUSEUMS, /Visitors 2024 for each Town:\n\n- Lund: \*\*59900\*\*/],
    [
      'What is the difference in visitors between 2023 and 2024 for the Mill?',
      MUSEUMS,
      /\+6800\*\*, from 9100 to 15900/,
    ],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['table.csv', table])).toMatch(answer));
});

describe('leaves out what is said of the rows, and says so first', () => {
  const CARS = 'make,fuel,price\nAlfa,gas,9\nAlfa,diesel,8\nBora,gas,7\nBora,diesel,6\nCora,diesel,5\nDora,diesel,4\n';
  const LANDS = 'name,unemployment\nPeru,21.5\nChad,4\nMali,30.1\n';
  it.each([
    ['How many of the cars run on diesel?', CARS, /^I cannot count .*“run”\. Leaving that out:\n\n\*\*4\*\* rows/],
    [
      'In how many countries is unemployment above 20 percent?',
      LANDS,
      /^I cannot count .*“countries”\. Leaving that out:\n\n\*\*2\*\* rows .*over 20[\s\S]*20 % is compared .* as it is written/,
    ],
    ['Which make has the better price on average, Alfa or Bora?', CARS, /Alfa: \*\*8\.5\*\*[\s\S]*“better”/],
    ['How many cars with diesel were stolen?', CARS, /^I cannot count(?![\s\S]*\*\*4\*\*)/],
    ['How many countries in Africa have unemployment above 20?', LANDS, /^I cannot count(?![\s\S]*\*\*2\*\*)/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['cars.csv', table])).toMatch(answer));

  it.each([
    ['How many days had a temperature of -5 or lower?', 'Day,Temperature\nMon,3\nTue,-7\n'],
    ['How many towns have a population of 1 million or more?', 'Town,Population (thousands)\nA,5\nB,2000\n'],
    ['What is the average salary of all directors?', 'Name,Job,Salary\nAnn,Clerk,5\nBob,Cook,7\n'],
    ['How long does a trip last?', 'Trip,Start,Duration\nA,2024-01-02,3\nB,2024-02-03,9\n'],
  ])('but nothing that changes the figure: %s', async (prompt, table) =>
    expect(await asked(prompt, ['data.csv', table])).toMatch(/^(?:I cannot|No passage|The attached)/),
  );

  it('but no name, as of a place that the table does not have', async () => {
    const areas = 'Area,Number of employees\n"Alba County, West",20\n"Born County, West",30\n';
    expect(await asked('How many employees does Carl County have?', ['areas.csv', areas])).not.toMatch(/\*\*50\*\*/);
    const page =
      '# Areas\n\nThe areas have 7 employees who count.\n\n| Area | Employees |\n| --- | --- |\n| AL | 20 |\n| BO | 30 |\n';
    expect(await asked('How many employees does Carl have?', ['areas.md', page])).toMatch(
      /^I cannot count .*“Carl”\. Leaving that out:/,
    );
  });
});

describe('reads the sheet that a question names', () => {
  const book = writeXlsx([
    {
      name: 'arts',
      rows: [
        ['Name', 'Gender'],
        ['Ann', 'Female'],
        ['Bob', 'Male'],
      ],
    },
    {
      name: 'arts 2024',
      rows: [
        ['Name', 'Gender'],
        ['Hal', 'Male'],
        ['Ida', 'Female'],
      ],
    },
    {
      name: 'sport',
      rows: [
        ['Name', 'Gender'],
        ['Cid', 'Male'],
        ['Dora', 'Female'],
        ['Eve', 'Female'],
      ],
    },
  ]);
  it.each([
    ['How many women are on the first sheet?', /^\*\*1\*\* row/],
    ['How many women are on the third sheet?', /^\*\*2\*\* rows/],
    ['How many men are on the sheet arts 2024?', /^\*\*1\*\* row[\s\S]*'arts 2024'!A1/],
    ['Wie viele Frauen stehen im Blatt sport?', /^\*\*2\*\* rows/],
    ['How many men are there in the arts tab?', /^\*\*1\*\* row/],
  ])('%s', async (prompt, answer) => {
    const fileId = await at.store('people.xlsx', book);
    expect((await at.run({ prompt, fileIds: [fileId] })).text).toMatch(answer);
  });
});

describe('where each row is one of its kind', () => {
  const FIRES =
    'state,abb,region,population,total\nOhio,OH,North,11500,310\nTexas,TX,South,25100,805\nIowa,IA,North,3000,21\nUtah,UT,West,2700,22\n';
  const HOTELS = 'Hotel,Town,Rooms\nMill,Lund,40\nMoor,Lund,12\nPark,Ystad,30\n';
  it.each([
    ['How many fires were there in Ohio?', FIRES, /total is \*\*310\*\*/],
    ['How many fires were there in the North altogether?', FIRES, /total is \*\*331\*\*, over 2 rows/],
    ['Which state had the fewest fires?', FIRES, /^The lowest total:\n\n- state: Iowa/],
    ['Did Texas or Ohio have more fires?', FIRES, /^\*\*Texas\*\* has more total: 805, against 310/],
    ['How many states are in the North?', FIRES, /^\*\*2\*\*/],
    ['How many rows are there for the North?', FIRES, /^\*\*2\*\* rows/],
    ['How many states had more than 100 fires?', FIRES, /^\*\*2\*\*/],
    ['How many people live in Utah?', FIRES, /population is \*\*2700\*\*/],
    ['How many hotels are in Lund?', HOTELS, /^\*\*2\*\*/],
    // `Total` in a table of orders is an amount.
    ['How many fires were there in all?', 'fire,chief,total\nF1,Ann,300\nF2,Bob,12.5\n', /^(?!.*312)/],
    ['Which chief had the most fires?', 'fire,chief,total\nF1,Ann,300\nF2,Bob,12\nF3,Bob,8\n', /Bob: \*\*2\*\*/],
    ['How many fires were there in the Mill?', HOTELS, /^(?!\*\*1\*\*)/],
  ])('counts what it stands for: %s', async (prompt, table, answer) =>
    expect(await asked(prompt, ['fires.csv', table])).toMatch(answer),
  );
});

describe('says how a figure changed', () => {
  const TAKINGS = `Day,Region,Revenue (EUR),Guests
2024-01-05,North,100,7
2024-01-09,South,200,9
2024-02-10,North,130,6
2024-02-12,South,190,8
2024-03-02,South,90,2
`;
  const YEARS = 'Region,2021,2022,2023\nNorth,100,120,150\nSouth,90,80,95\n';
  const STAFF =
    'Name,Manager,Joined,Salary\nAnna Berg,Tom Hill,2021-03-01,52000\nTom Hill,,2015-01-01,90000\nUlf Kern,Tom Hill,2025-02-01,38000\n';
  const FEES = 'Name,Fee 2025,Fee 2026\nAda Rowe,120,130\nBen Okoro,60,125\n';
  const SITES =
    'Standort,Stadt,Strom 2023 (kWh),Strom 2024 (kWh),Gas 2024 (kWh)\nWerk,Kiel,412300,398750,820100\nLager,Bonn,98200,101600,45000\nBüro,Kiel,61050,57900,120400\n';
  const LIVES =
    'Country,Year,Life expectancy\nKenya,1952,42.3\nKenya,2007,54.1\nVietnam,1952,40.4\nVietnam,2007,74.2\n';
  it.each([
    [
      'How much did revenue rise from January 2024 to February 2024?',
      TAKINGS,
      /- \*\*\+20\*\*, from 300 to 320, \+6\.67 %/,
    ],
    [
      'Did revenue in the North go up between January and February 2024?',
      TAKINGS,
      /North: \*\*\+30\*\*, from 100 to 130/,
    ],
    ['Um wie viel ist South zwischen 2021 und 2022 gesunken?', YEARS, /South: \*\*-10\*\*, from 90 to 80, -11\.11 %/],
    [
      'How much did the fees rise from 2025 to 2026?',
      FEES,
      /change of Fee from 2025 to 2026:\n\n- \*\*\+75\*\*, from 180 to 255/,
    ],
    ['How much more is the fee of Ada in 2026 than in 2025?', FEES, /- Ada Rowe: \*\*\+10\*\*, from 120 to 130/],
    [
      'Um wie viel ist der Stromverbrauch in Kiel von 2023 auf 2024 gesunken?',
      SITES,
      /- Kiel: \*\*-16700\*\*, from 473350 to 456650/,
    ],
    [
      'Which site had the biggest increase in electricity from 2023 to 2024?',
      SITES,
      /^The biggest rise of Strom \(kWh\) .*:\n\n- Lager: \*\*\+3400\*\*[\s\S]*“electricity” is the column Strom/,
    ],
    [
      'Bei welchem Standort ist der Strom von 2023 auf 2024 am meisten gesunken?',
      SITES,
      /^The biggest fall of .*:\n\n- Werk: \*\*-13550\*\*/,
    ],
    [
      'Bei welchem Standort sind die Fälle von 2023 auf 2024 am meisten gestiegen?',
      'Standort,Fälle 2023,Fälle 2024\nWerk,40,30\nLager,12,19\nBüro,8,9\n',
      /^The biggest rise of Fälle .*:\n\n- Lager: \*\*\+7\*\*[\s\S]*- Büro: \*\*\+1\*\*(?![\s\S]*Werk)/,
    ],
    [
      'Which site had the smallest decrease in electricity from 2023 to 2024?',
      SITES,
      /^The smallest fall of .*:\n\n- Büro: \*\*-3150\*\*[\s\S]*- Werk: \*\*-13550\*\*(?![\s\S]*Lager)/,
    ],
    [
      'What is the difference between the average salary in 2023 and in 2024?',
      'Name,Salary 2023,Salary 2024\nAnn,10,12\nBob,20,21\nCid,30,36\n',
      /change of the average Salary .*:\n\n- \*\*\+3\*\*, from 20 to 23/,
    ],
    [
      'Whose salary fell from 2023 to 2024?',
      'Name,Salary 2023,Salary 2024\nAnn,10,12\nBob,20,19\nCid,30,36\n',
      /^The falls of Salary .*:\n\n- Bob: \*\*-1\*\*, from 20 to 19, -5 %\n\n\*\*Sources/,
    ],
    ['Which of the sites used more electricity in 2024 than in 2023?', SITES, /^(?!The change)/],
    [
      'Welche Filiale hat beim Strom von 2023 auf 2024 am meisten verloren?',
      'Filiale,Strom 2023 (kWh),Strom 2024 (kWh),Strompreis/kWh 2023,Strompreis/kWh 2024\nMitte,90,70,0.3,0.4\nNord,80,85,0.3,0.4\n',
      /^The biggest fall of Strom \(kWh\) .*:\n\n- Mitte: \*\*-20\*\*/,
    ],
    [
      'Between 1952 and 2007, did life expectancy grow more in Kenya or in Vietnam?',
      LIVES,
      /- Vietnam: \*\*\+33\.8\*\*[\s\S]*- Kenya: \*\*\+11\.8\*\*/,
    ],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['figures.csv', table])).toMatch(answer));

  it.each([
    ['How much did life expectancy rise from 1952 to 2007?', LIVES],
    ['Did costs go up between January and March 2024?', TAKINGS],
    ['How much did revenue rise from January 2024 to April 2024?', TAKINGS],
    ['How much did salaries rise between 2021 and 2025?', STAFF],
    ["Which site's electricity grew fastest from 2023 to 2024?", SITES],
    ['Which site changed most in electricity from 2023 to 2024?', SITES],
    [
      'How much did the power cost in Lund rise from 2023 to 2024?',
      'Site,Town,Power cost/kWh 2023,Power cost/kWh 2024\nA,Lund,0.2,0.4\nB,Lund,0.4,0.5\n',
    ],
    ['Which sites did not grow in electricity from 2023 to 2024?', SITES],
    ['Which sites grew in electricity by more than 10 from 2023 to 2024?', SITES],
  ])(
    'claims none of no parts of a whole, of another column, a day without rows or a day on which people joined: %s',
    async (prompt, table) => expect(await asked(prompt, ['figures.csv', table])).not.toContain('change of'),
  );
});

describe('shows the row that a question names', () => {
  const AIRLINES = `ID,Name,Code,Callsign,Country
12,Blue Air,BL,SKYBLUE,Romania
23,Northern Air,NA,POLAR,Norway
31,Swiss Wings,SW,ALPINE,Switzerland
45,Fjord Lines,FJ,FJORD,Norway
`;
  const MATCHES = `Date,Home team,Away team,Home goals,Away goals
2024-03-02,1899 Harbour,Mill Town,4,4
2024-03-02,Old Dock,Castle,1,0
2024-03-09,Mill Town,1899 Harbour,2,1
`;
  it.each([
    [
      'What is the radio callsign of Northern Air?',
      AIRLINES,
      /^Callsign: \*\*POLAR\*\*\n\nThe row of data\.csv with Name = Northern Air/,
    ],
    ['Which country is Blue Air registered in?', AIRLINES, /^Country: \*\*Romania\*\*/],
    ['What about airline no. 45?', AIRLINES, /^The row of data\.csv with ID = 45:\n\n- ID: 45, Name: Fjord Lines/],
    [
      'How did Harbour play against Mill Town on 2 March 2024?',
      MATCHES,
      /^The row .*\n\n- Date: 2024-03-02, Home team: 1899 Harbour/,
    ],
  ])('%s', async (prompt, table, answer) => {
    const text = await asked(prompt, ['data.csv', table]);
    expect(text).toMatch(answer);
    expect(text).not.toContain('Check this');
  });

  it('finds a column that is called so in another language, and says which', async () => {
    const hours = 'Owner,Rate/hour (CHF),Hours\nAmsler,80,1.5\nBader,90,4\nAmsler,95,0.5\n';
    const answer = await asked('Wie viele Stunden wurden für Amsler gearbeitet?', ['hours.csv', hours]);
    expect(answer).toMatch(/^The sum of Hours is \*\*2\*\*[\s\S]*Here “Stunden” is the column Hours\./);
    const lands = 'Name,Capital,Currency\nPeru,Lima,sol\nChad,Jamena,franc\n';
    expect(await asked('Welche Währung hat Peru?', ['lands.csv', lands])).toMatch(
      /^Currency in lands\.csv with Name = Peru: \*\*sol\*\*[\s\S]*Here “Währung” is the column Currency\.(?![\s\S]*Check this)/,
    );
  });

  it('reads a name in the first column before that of a manager, and says where two columns may be meant', async () => {
    const staff = 'Name,Manager,Joined,Salary\nAnna Berg,Tom Hill,2021-03-01,52000\nTom Hill,,2015-01-01,90000\n';
    expect(await asked('Wie hoch ist das Gehalt von Tom Hill?', ['staff.csv', staff])).toMatch(/90000(?![\s\S]*52000)/);
    const flights =
      'Flight,Origin,Destination,Departs\nLX101,Rome,Oslo,2026-05-03\nLX102,Oslo,Rome,2026-05-03\nLX103,Rome,Paris,2026-05-04\n';
    expect(await asked('Which flight goes to Rome on 3 May 2026?', ['flights.csv', flights])).toMatch(
      /LX101[\s\S]*LX102[\s\S]*Check this: it is not said in which column “Rome” is meant\./,
    );
  });

  it('shows none that has nothing of what is asked', async () =>
    expect(await asked('Who is the boss of Northern Air?', ['data.csv', AIRLINES])).not.toMatch(/^The row/));

  it('says which word the row may not answer', async () =>
    expect(await asked('Which pilot flew to the country of Blue Air?', ['data.csv', AIRLINES])).toContain(
      'Check this: nothing in the table is called “pilot”',
    ));

  it('reads an adjective as a country, also beside names that begin with it', async () =>
    expect(await asked('How many of these are Swiss?', ['data.csv', AIRLINES])).toMatch(
      /^\*\*1\*\* row .*Country = Switzerland/,
    ));
});

describe('shows the row beside a refusal', () => {
  it('of a sum that no column has', async () => {
    const repairs = 'Bike,Owner,Rate/hour (CHF),Hours,Parts (CHF)\nK-14,Conti,80,2,130\nK-15,Dietz,95,4,75\n';
    expect(await asked('What did K-15 cost in total?', ['repairs.csv', repairs])).toMatch(
      /^The row of repairs\.csv with Bike = K-15:[\s\S]*I cannot calculate what is asked/,
    );
  });

  const HOTELS = 'Hotel,City,Beds\nHotel Miramar,Vigo,40\nHotel Lux,Ulm,12\n';
  it('if the question names it wholly', async () =>
    expect(await asked('How many nurses does Hotel Lux employ?', ['hotels.csv', HOTELS])).toMatch(
      /^I cannot count or compare this: nothing in the table is called “nurses” or “employ”\. What it names:\n\nThe row of hotels\.csv with Hotel = Hotel Lux/,
    ));
  it('not if it names another, or if the files have several tables', async () => {
    const question = 'How many nurses does Hotel Mare employ?';
    expect(await asked(question, ['hotels.csv', HOTELS])).not.toContain('Miramar');
    const other = 'Town,Mayor\nUlm,Kern\nVigo,Sanz\n';
    const answer = await asked('How many nurses does Hotel Lux employ?', ['hotels.csv', HOTELS], ['towns.csv', other]);
    expect(answer).not.toContain('The row of');
  });
});

describe('finds what is measured', () => {
  const SALES =
    'Country,Customer,Cost,Revenue,Weight (kg)\nGermany,Los Altos,10,30,5\nGermany,Pierre Elliott,20,50,7\nFrance,Los Altos,5,9,2\n';
  it.each([
    ['How much money did we take in Germany altogether?', /sum of Revenue is \*\*80\*\*/],
    ['How heavy are the orders from Germany on average?', /average of Weight \(kg\) is \*\*6\*\*/],
    ['Where did we lose the most money?', /I cannot count/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, ['sales.csv', SALES])).toMatch(answer));

  it('reads no name as a comparative', async () => {
    const journals =
      'Title,Publisher,Price\nA,Elsevier,100\nB,Elsevier,200\nC,Blackwell,80\nD,Blackwell,60\nE,Other,1\n';
    const question =
      'Are Elsevier journals more expensive than the ones from Blackwell? Give me the average price of each.';
    expect(await asked(question, ['journals.csv', journals])).toMatch(
      /^\*\*Elsevier\*\* has a higher average of Price: 150, against 70 for Blackwell/,
    );
  });
});

describe('reads superlatives and comparatives in four languages', () => {
  const HORSES =
    'Pferd,Gewicht (kg),Größe (cm),Tempo (km/h),Alter,Preis (EUR)\nAura,520,160,62,4,9000\nBella,610,171,48,12,7000\nCasimir,700,166,40,15,6500\n';
  const LACS =
    'Lac,Profondeur (m),Population,Temperature,Revenu par habitant\nBleu,80,52000,14.5,31000\nNoir,145,9000,9.8,52000\nVert,30,21000,18.2,27000\n';
  const PERROS = 'Perro,Peso (kg),Velocidad (km/h),Edad,Potencia\nLuna,8,22,9,3\nRex,41,35,3,9\nToby,19,48,6,7\n';
  it.each([
    ['Welches Pferd ist am schwersten?', HORSES, /highest Gewicht \(kg\):\n\n- Pferd: Casimir/],
    ['Welches ist das langsamste Pferd?', HORSES, /lowest Tempo \(km\/h\):\n\n- Pferd: Casimir/],
    ['Welches Pferd ist das jüngste?', HORSES, /lowest Alter:\n\n- Pferd: Aura/],
    ['Welches Pferd ist am größten?', HORSES, /highest Größe \(cm\):\n\n- Pferd: Bella/],
    ['Wie schwer ist das schnellste Pferd?', HORSES, /highest Tempo \(km\/h\):\n\n- Pferd: Aura/],
    ['Wie schwer ist Bella?', HORSES, /Gewicht \(kg\) in t\.csv with Pferd = Bella: \*\*610\*\*/],
    ['Wie alt ist das Pferd mit dem höchsten Preis?', HORSES, /highest Preis \(EUR\):\n\n- Pferd: Aura/],
    [
      'Welche zwei Pferde sind am schwersten?',
      HORSES,
      /2 highest Gewicht \(kg\):\n\n- Pferd: Casimir.*\n- Pferd: Bella/,
    ],
    ['Welche Pferde sind schwerer als 600 kg?', HORSES, /Gewicht \(kg\) over 600:\n\n- Bella\n- Casimir/],
    ['Welche Pferde sind schneller als 45 km/h?', HORSES, /Tempo \(km\/h\) over 45:\n\n- Aura\n- Bella/],
    [
      'Wie viele Pferde sind jünger als 10?',
      HORSES,
      /^\*\*1\*\* different values of Pferd in t\.csv with Alter under 10/,
    ],
    ['Quel est le lac le plus profond ?', LACS, /highest Profondeur \(m\):\n\n- Lac: Noir/],
    ['Quel lac est le plus froid ?', LACS, /lowest Temperature:\n\n- Lac: Noir/],
    ['Quel est le lac le plus peuplé ?', LACS, /highest Population:\n\n- Lac: Bleu/],
    ['Quels lacs ont plus de 20000 habitants ?', LACS, /Population over 20000:\n\n- Bleu\n- Vert/],
    ['Quel lac est plus chaud que 15 degrés ?', LACS, /Temperature over 15: \*\*Vert\*\*/],
    ['¿Cuál es el perro más pesado?', PERROS, /highest Peso \(kg\):\n\n- Perro: Rex/],
    ['¿Qué perro es el más lento?', PERROS, /lowest Velocidad \(km\/h\):\n\n- Perro: Luna/],
    ['¿Cuál es el perro más viejo?', PERROS, /highest Edad:\n\n- Perro: Luna/],
    [
      '¿Cuáles son los dos perros más rápidos?',
      PERROS,
      /2 highest Velocidad \(km\/h\):\n\n- Perro: Toby.*\n- Perro: Rex/,
    ],
    ['¿Cuál es el perro más potente?', PERROS, /highest Potencia:\n\n- Perro: Rex/],
    ['¿Qué perros pesan más de 10 kg?', PERROS, /Peso \(kg\) over 10:\n\n- Rex\n- Toby/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['t.csv', table])).toMatch(answer));

  const CITIES =
    'City,Height (m),Temp,Population,Sales\nOslo,23,6.3,700,90\nRome,21,15.9,2800,400\nQuito,2850,14.1,1900,70\n';
  it.each([
    ['Which city is the coldest?', /lowest Temp:\n\n- City: Oslo/],
    ['Which city is the highest?', /highest Height \(m\):\n\n- City: Quito/],
    ['Which city had the best sales?', /highest Sales:\n\n- City: Rome/],
    ['Which is the most populous city?', /highest Population:\n\n- City: Rome/],
    ['How warm is the highest city?', /I cannot count|highest Height/],
    ['Which cities are higher than 22 m?', /Height \(m\) over 22:\n\n- Oslo\n- Quito/],
    ['Which cities are higher than 70 feet?', /I cannot count/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, ['t.csv', CITIES])).toMatch(answer));

  it('reads no fastest time as the highest', async () => {
    const race = 'Runner,Time (s),Age\nAnn,61.2,30\nBo,58.9,41\n';
    expect(await asked('Who had the fastest time?', ['race.csv', race])).toContain('I cannot count or compare this');
  });
});

describe('reads names in capitals and other forms of a yes', () => {
  const STAFF =
    'Employee,Team,Joined,Salary,Retirado\nAnn,Sales,2019-03-01,62000,no\nCy,IT,2018-01-10,67000,si\nDi,IT,2023-05-02,49000,si\n';
  it.each([
    ['Who in IT earns more than 60000?', /Team = IT and Salary over 60000:\n\n- Cy,/],
    ['How many people work in IT?', /^\*\*2\*\* rows of staff\.csv with Team = IT/],
    ['Who joined most recently?', /latest Joined:\n\n- Employee: Di/],
    ['¿Cuántos se retiraron?', /^\*\*2\*\* rows of staff\.csv with Retirado = si/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, ['staff.csv', STAFF])).toMatch(answer));
});

describe('reads what colleagues say of stocks, budgets and quarters', () => {
  const STOCK =
    'Artículo,Categoría,Existencias (uds),Stock mínimo (uds),Precio (€)\nCinta azul,Oficina,20,30,"2,50"\nLápiz HB-Max,Oficina,200,50,"0,40"\nEscoba,Limpieza,15,10,"6,00"\n';
  const JOBS =
    'Job,Lead,Budget (kEUR),Spent (kEUR),Fuel Q2,Signed\nPier,Ann,40,55,12,2024-01-10\nQuay,Bo,90,80,20,2024-05-02\nDock,Ann,10,12,3,2024-08-09\n';
  const PAIE =
    'Nom,Service,Salaire (€/mois),Embauche\nRoux,Achats,2500,2019-01-02\nBlanc,Achats,3100,2021-03-04\nPetit,Ventes,2800,2023-05-06\n';
  const GAESTE =
    'Gast,Zimmertyp,Nächte,Gesamtpreis (EUR)\nHahn,Einzelzimmer,3,210\nVogt,Doppelzimmer,5,600\nLutz,Einzelzimmer,1,70\n';
  it.each([
    [
      '¿Qué artículos están por debajo del stock mínimo?',
      STOCK,
      /Existencias \(uds\) under Stock mínimo \(uds\): \*\*Cinta azul\*\*/,
    ],
    ['¿Cuántas unidades de oficina tenemos en total?', STOCK, /sum of Existencias \(uds\) is \*\*220\*\*/],
    ['¿Cuánto cuesta la cinta?', STOCK, /Precio \(€\).*2\.5/],
    ['¿Cuánto cuesta el Lápiz HB-Max?', STOCK, /0\.4/],
    ['Which jobs have gone over budget?', JOBS, /Spent \(kEUR\) over Budget \(kEUR\):\n\n- Pier, 15,[\s\S]*- Dock, 2,/],
    ['How much did Ann spend on fuel in Q2?', JOBS, /sum of Fuel Q2 is \*\*15\*\*/],
    ['Qui est le mieux payé aux achats ?', PAIE, /highest Salaire \(€\/mois\).*\n\n- Nom: Blanc/],
    ['Combien gagne Petit par mois ?', PAIE, /sum of Salaire \(€\/mois\) is \*\*2800\*\*/],
    ['Wie viele Nächte in Einzelzimmern?', GAESTE, /sum of Nächte is \*\*4\*\*/],
    ['Was zahlt Vogt insgesamt?', GAESTE, /sum of Gesamtpreis \(EUR\) is \*\*600\*\*/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['t.csv', table])).toMatch(answer));

  it('and shows no row for a person that the table does not have', async () => {
    const vans = 'Unit,Make,Depot,Mileage (km)\nV-1,Crafter,Hull,1200\nV-2,Boxer,York,900\n';
    const answer = await asked('Who is the driver of V-1?', ['vehicles.csv', vans]);
    expect(answer).toMatch(/^No passage answers this clearly|do not seem to say/);
  });
});

describe('reads orders, expenses and price lists as colleagues ask about them', () => {
  const ORDERS =
    'Work order,Reported,Trade,Status,Technician,Hours\nWO-1,2026-01-02,Plumbing,Open,Ida Moor,3\nWO-2,2026-01-09,Joinery,Open,Ben Alt,4\nWO-3,2026-02-01,Plumbing,Done,Ida Moor,2\n';
  const FRAIS =
    'Pièce;Date;Salarié;Nature;Montant TTC\nF1;01/04/2026;Roux;Hôtel;100,50\nF2;03/05/2026;Blanc;Repas;20,00\nF3;07/06/2026;Roux;Hôtel;99,50\n';
  const PREISE =
    'Art.-Nr.;Bezeichnung;Botanischer Name;ab 10 St.\n15-33;Frauenmantel;Alchemilla mollis;3,40\n17-66;Rosmarin;Rosmarinus;3,80\n';
  const SHIPS = 'Ship,Flag,Built\nAurora,Norway,2009-04-01\nDorado,Malta,2020-07-07\n';
  it.each([
    ['Who worked the most hours?', ORDERS, /Sum of Hours for each Technician:\n\n- Ida Moor: \*\*5\*\*/],
    ['What is the average number of hours per work order for plumbing?', ORDERS, /average of Hours is \*\*2\.5\*\*/],
    [
      'Which is the oldest open work order?',
      ORDERS,
      /^The earliest Reported with Status = Open:\n\n- Work order: WO-1/,
    ],
    ['Which is the newest ship?', SHIPS, /^The latest Built:\n\n- Ship: Dorado/],
    ["À combien s'élèvent les frais d'hôtel TTC ?", FRAIS, /sum of Montant TTC is \*\*200\*\*/],
    ['How much did we spend on hotels over the whole period?', FRAIS, /sum of Montant TTC is \*\*200\*\*/],
    ['Qui a dépensé le plus ?', FRAIS, /Sum of Montant TTC for each Salarié:\n\n- Roux: \*\*200\*\*/],
    ["What's the article number of Alchemilla mollis?", PREISE, /^Art\.-Nr\..*\*\*15-33\*\*/],
    ['Welche Artikelnummer hat der Rosmarin?', PREISE, /\*\*17-66\*\*/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['frais.csv', table])).toMatch(answer));

  const STAFF = 'Name,Dept,Amt,Hourly rate\nAna,IT,60,40\nBen,HR,100,55\nCem,IT,50,30\n';
  const SORTEN = 'Bezeichnung;Art;Preis\nFarn;Topf;3\nMoos;Korb;5\nEfeu;Topf;4\n';
  const VISITS =
    'Customer,City,Spend,Active\nRossi,Rome,30,yes\nBonn Ltd,Bonn,30,yes\nKlee,Bonn,20,no\nRossi,Rome,5,no\n';
  const DUES = 'Sale,Day,Amount\nS1,2025-03-01,10\nS2,2026-03-01,20\n';
  const TICKETS = 'Ticket,Customer,Opened\nT1,Acme,2026-01-02\nT2,Bolt,2026-02-03\nT3,Acme,2026-03-04\n';
  it.each([
    ['What is the total amt?', STAFF, /sum of Amt is \*\*210\*\*/],
    ['How many names per dept?', STAFF, /IT: \*\*2\*\*/],
    ['What is the hourly wage of Ben?', STAFF, /55/],
    ["What's the unemployment rate in Spain?", 'name,Unemployment,Area\nSpain,24.4,5\nItaly,12.1,3\n', /24\.4/],
    ['What is the average hourly rate for each name?', STAFF, /Ben: \*\*55\*\*/],
    ['Wie viele Artikel gibt es?', SORTEN, /\*\*3\*\*/],
    ['Welche Art hat den höchsten Preis?', SORTEN, /Korb/],
    ['Show me for each customer number of rows', VISITS, /Rossi: \*\*2\*\*/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['t.csv', table])).toMatch(answer));

  it.each([
    ['What are the total sales over the whole year?', DUES],
    ['Which is the oldest customer?', TICKETS],
    ['Which city has the highest spend of customers who are active?', VISITS],
  ])('but gives no figure of something else: %s', async (prompt, table) => {
    expect(await asked(prompt, ['t.csv', table])).not.toMatch(/\*\*30\*\*, over|earliest Opened|for each Customer/);
  });

  it('and says so where no column has what is asked for', async () => {
    const answer = await asked("What's the hourly rate of Ida Moor?", ['orders.csv', ORDERS]);
    expect(answer).toMatch(/^The attached documents do not seem to say anything about this/);
  });
});

describe('reads no adjective, unit or quarter as another one', () => {
  const PRODUKTE = 'Produkt;Preis (EUR);Lieferzeit (Tage)\nA;80;3\nB;150;9\n';
  const REGIONS = 'Region,Q1,Q2,Q3\nNorth,10,90,5\nSouth,20,30,4\n';
  const YEARS = 'Region,Q1 2023,Q2 2023\nNorth,10,90\nSouth,20,30\n';
  const PROJECTS = 'Project,City,Budget,Cost\nPier,Berlin,40,55\nQuay,Ulm,10,80\nDock,Berlin,90,12\n';
  const STOCK = 'Product,Stock,Price\nPen,40,1\nInk,5,2\n';
  const TRUCKS = 'Truck,Weight (kg),Load (kg),Workforce,Revenue\nAjax,900,50,9,10\nBoro,700,80,2,90\n';
  const CARS = 'Model,Cost,Seats\nX,9000,2\nY,12000,5\n';
  const ROOMS = 'Zimmer,Buchungsstatus\n1,gebucht\n2,frei\n3,gebucht\n';
  const COUNTRIES = 'Country,GDP,GDP per capita,Population density\nA,900,9,20\nB,500,30,80\n';
  const STAFF = 'Name,Room,Phone\nAnn,12,100\nBo,13,101\n';
  it.each([
    ['Welche Produkte sind günstiger als 100 Euro?', PRODUKTE, /under 100: \*\*A\*\*/],
    ['Welches Produkt hat die schnellste Lieferzeit?', PRODUKTE, /I cannot count/],
    ['Welches Produkt hat den tiefsten Preis?', PRODUKTE, /^(?!The highest)/],
    ['Which region had the highest sales in Q1 and Q2?', REGIONS, /I cannot count/],
    ['What were the total sales in 2023?', YEARS, /I cannot count/],
    ['How many projects are over budget in Berlin?', PROJECTS, /^\*\*1\*\* .*(?:City = Berlin|Cost over Budget)/],
    ['How much are we over budget?', PROJECTS, /I cannot count/],
    ['How many units have we sold?', STOCK, /^(?!The sum of Stock)/],
    ['How many units do we have?', STOCK, /^The sum of Stock is \*\*45\*\*/],
    ['Which truck has the heaviest load?', TRUCKS, /highest Load \(kg\):\n\n- Truck: Boro/],
    ['Which truck is the heaviest?', TRUCKS, /highest Weight \(kg\):\n\n- Truck: Ajax/],
    ['Which truck had the strongest revenue?', TRUCKS, /Sum of Revenue for each Truck:\n\n- Boro: \*\*90/],
    ['How heavy is the load of truck Ajax?', TRUCKS, /Load \(kg\).*50/],
    ['How much does the most powerful car cost?', CARS, /I cannot count/],
    ['Wie viele Zimmer sind gebucht?', ROOMS, /^\*\*2\*\*/],
    ['Which country has the highest GDP per capita?', COUNTRIES, /highest GDP per capita:\n\n- Country: B/],
    ['Which is the most populous country?', COUNTRIES, /I cannot count/],
    ['Who is the employee in room 12?', STAFF, /Ann/],
    ['What is the total budget in all counties together?', PROJECTS, /^The sum of Budget is \*\*140\*\*/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, ['t.csv', table])).toMatch(answer));
});

describe('claims no figure', () => {
  it.each([
    'What is the average weight of an order?',
    'What was the median amount per region?',
    'What was the average amount per salesman?',
  ])('when no quote fits either: %s', async (prompt) => {
    const text = await ofSales(prompt);
    expect(text).toContain('I cannot count or compare this');
    expect(text).not.toMatch(/^>/m);
    expect(text).toMatch(/names of their columns:\n\n- sales\.csv: Order date, /i);
  });

  it('but quotes a sentence that states it', async () => {
    const study = `# Sprints and blood

The mean NO values were 25.59 before the exercise and 21.45 after it.

| Player | Age |
| --- | --- |
| A | 21 |
| B | 30 |
`;
    const text = await asked('What was the mean NO value before and after the exercise?', ['study.md', study]);
    expect(text).toMatch(/^> The mean NO values were 25\.59/);
  });

  it('when it would add up pieces for their value', async () => {
    const text = 'Article,In stock,Unit price\nCement,140,6.90\nGravel,12,28.50\n';
    expect(await asked('What is the total value of the stock?', ['stock.csv', text])).toContain(
      'I cannot count or compare this',
    );
    expect(await asked('What is the total of In stock?', ['stock.csv', text])).toContain('152');
  });

  it.each([
    'How many orders were not in the North region?',
    'How many orders with Pump or Vlave were there?',
    'How many orders did Mendez place?',
    'How many large orders were there?',
    'How many orders were placed on the same day?',
    'How many other orders did Birch place?',
    'What is the highest amount of a single order?',
    'How many orders have the note "paid in time"?',
    `How many rows have '; DROP TABLE t1;-- in them?`,
  ])('when it would ignore a part of the question: %s', async (prompt) =>
    expect(await ofSales(prompt)).not.toMatch(/\*\*\d+\*\* rows/),
  );

  it.each(['Which customers are new?', 'Orders of less than 95.70 by Mendez', 'Who delivered the Gasket?'])(
    'and quotes no row without a warning that lacks a word of the question: %s',
    async (prompt) =>
      expect(await ofSales(prompt)).toMatch(
        /No passage answers this clearly|do not seem to say anything|I cannot count/,
      ),
  );

  it('by a value that is the heading of another column', async () => {
    const text = 'Van,Inspection due,Job\nV1,2026-01-05,Inspection\nV2,2026-03-09,Tyres\n';
    expect(await asked('Which inspection is due before April 2026?', ['vans.csv', text])).not.toMatch(
      /^Van.*V1(?!.*V2)/s,
    );
  });

  it('of another thing than what is asked for', async () => {
    const gifts: [string, string] = ['gifts.csv', 'Donor,Gift\nAnn Bell,20\nAnn Bell,30\nBob Cole,90\n'];
    expect(await asked('Has Bob Cole given more than Ann Bell?', gifts)).not.toMatch(/rows: \d|more rows/);
    expect(await asked('How old are our donors on average?', gifts)).not.toMatch(/average of/i);
    const shifts: [string, string] = [
      'rota.csv',
      'Shift,Ward,Nurse,Remark\nEarly,Cedar,Ivo Zan,Sick\nLate,Cedar,Mira Ives,Sick\nLate,Oak,Ann Roe,Sick\n',
    ];
    expect(await asked('Who called in sick for a shift on Cedar?', shifts)).not.toMatch(/^Shift in/);
  });

  it('when a passage states the number', async () => {
    const text = 'The tenant has 30 days to cure a violation. How the rent is paid is agreed apart.';
    expect(await asked('How many days does the tenant have?', ['lease.txt', text])).toContain('30 days');
  });
});

describe('as people put their questions', () => {
  const TRIPS: [string, string] = [
    'ferry trips.csv',
    `Date,Dep.,Ship,Pax,Vans,Weather
2025-06-11,07:15,Heron,80,5,fog
2025-06-11,11:40,Plover,60,9,"fog, wind"
2025-06-12,07:15,Plover,90,4,wind
2025-06-12,11:40,Heron,70,7,clear
2025-07-01,11:40,Heron ,40,2,Clear
`,
  ];
  const SNOW: [string, string] = [
    'sky.csv',
    'date,sky\n2012-01-01,snow\n2012-01-02,sun\n2012-01-03,snow\n2013-01-04,snow\n2013-01-05,rain\n',
  ];
  const LINES: [string, string] = ['stops.csv', 'Stop,Lines\nHill,T3b\nQuay,"T3a, T3b"\nMoor,T3a\n'];
  const CRABS: [string, string] = [
    'crabs.csv',
    'Kind,Sex,Shell Length (mm),Claw Length (mm)\nRock,Male,30,12\nRock,Female,26,9\nRock,Male,32,13\nSand,Female,20,6\n',
  ];
  const TITLES: [string, string] = [
    'titles.csv',
    'Title,Holder Name,Holder Type,Chartered,People reached,Filed\nAa,Oak Ltd,Firm,yes,120,2013-04-01\nBb,Elm Co,Firm,no,30,2013-09-01\nCc,Pine,Charity,yes,50,2014-02-01\n',
  ];
  const LOANS: [string, string] = [
    'loans.csv',
    'Object,Due back,Returned\nVase,2025-03-01,2025-03-09\nMask,2025-03-05,2025-03-02\nDrum,2025-04-01,\n',
  ];
  const HARVEST: [string, string] = [
    'Lese.csv',
    'Datum;Rebsorte;Oechsle;Wert (€)\n03.09.2025;Riesling;88;1.200,50\n04.09.2025;Gutedel;74;900,00\n05.09.2025;Silvaner;91;310,00\n',
  ];
  const PRICES: [string, string] = [
    'prices.csv',
    'Day,Copper,Zincs\n2009-01-01,10,4\n2009-07-01,14,6\n2010-01-01,20,8\n2010-07-01,24,10\n2011-01-01,90,50\n',
  ];
  it.each([
    ['How many vans were on the 11:40 trip on 12 June?', TRIPS, /Vans is \*\*7\*\*, over 1 row/],
    ['How many trips at 11:40?', TRIPS, /^\*\*3\*\* rows .*Dep\. = 11:40/],
    ['How many days with snow were there in 2012?', SNOW, /^\*\*2\*\* rows .*sky = snow/],
    ['Who owns the Heron?', TRIPS, /^No passage answers this clearly/],
    ['How many trips did the Heron make?', TRIPS, /^\*\*3\*\* rows .*Ship = Heron/],
    ['How many trips with the line T3b?', LINES, /^\*\*2\*\* rows .*Lines = T3b/],
    ['How many stops without T3b?', LINES, /^\*\*1\*\* row/],
    [
      'Which boat carried more vans, Heron or Plover, and by how many?',
      TRIPS,
      /^\*\*Heron\*\* has more Vans: 14, against 13 for Plover, a difference of 1\./,
    ],
    [
      'What is the difference in shell length on average between male and female rock crabs?',
      CRABS,
      /is \*\*5\*\* \(average of Shell Length/,
    ],
    [
      'By how many mm are the shells of male rock crabs longer on average than those of the females?',
      CRABS,
      /is \*\*5\*\* .*31 for Male, 26 for Female/,
    ],
    [
      'What is the average difference between shell and claw length?',
      CRABS,
      /is \*\*17\*\*: the average of Shell Length \(mm\) is 27/,
    ],
    [
      'How many titles are run by a chartered firm?',
      TITLES,
      /^\*\*1\*\* row of .*Holder Type = Firm and .*Chartered = yes/,
    ],
    ['Break down the number of titles by type of holder.', TITLES, /for each Holder Type:[\s\S]*Firm: \*\*2\*\*/],
    ['Number of titles by holder type', TITLES, /for each Holder Type:[\s\S]*Firm: \*\*2\*\*/],
    ['How many people were reached by titles filed in 2013?', TITLES, /People reached is \*\*150\*\*, over 2 rows/],
    [
      'List the objects that were brought back later than they were due.',
      LOANS,
      /Returned over Due back: \*\*Vase\*\*/,
    ],
    ['Which objects were returned later than agreed?', LOANS, /Returned over Due back: \*\*Vase\*\*/],
    [
      'Was war der höchste Oechsle-Wert, an welchem Tag und bei welcher Sorte?',
      HARVEST,
      /^The highest Oechsle:\n\n- Datum: 05\.09\.2025, Rebsorte: Silvaner, Oechsle: 91/,
    ],
    ['An welchem Tag war der Oechsle am höchsten?', HARVEST, /^The highest Oechsle:(?![\s\S]*Check this)/],
    ['What was the average zinc price over the year 2010?', PRICES, /average of Zincs is \*\*9\*\*, over 2 rows/],
    [
      'What was the mean copper price for the two years from January 2009 to December 2010?',
      PRICES,
      /average of Copper is \*\*17\*\*, over 4 rows/,
    ],
  ])('%s', async (prompt, file, answer) => expect(await asked(prompt, file)).toMatch(answer));

  const DOWN: [string, string] = [
    'export.csv',
    'date,mill,energy_kwh,down_h\n2025-11-01,M1,90,0\n2025-11-02,M2,80,7.5\n2025-11-03,M1,10,14\n2025-12-01,M2,50,6\n',
  ];
  const STOPS: [string, string] = [
    'halts.csv',
    'name,code,passengers,opened_year\nHill,a,120,1888\nQuay,b,900,1902\nMoor,c,300,1899\n',
  ];
  const METALS: [string, string] = ['metals.csv', 'Month,Tin,Lead\n2020-01-01,5,6\n2020-02-01,9,2\n2020-03-01,4,8\n'];
  const CARDS: [string, string] = ['cards.csv', 'Card,Items,Period\nAdult,12,21 days\nJunior,20,28 days\n'];
  const GRAPES: [string, string] = [
    'Lese.csv',
    'Datum;Sorte;Menge (kg);Preis €/kg;Leser\n03.10.2025;Riesling;900,5;1,20;8\n04.10.2025;Riesling;100,5;1,10;6\n05.10.2025;Gutedel;700;0,90;9\n',
  ];
  it.each([
    ['energy from 1 to 3 November in total pls', DOWN, /energy\\?_kwh is \*\*180\*\*, over 3 rows/],
    ['What was the total energy on November 2-3, 2025?', DOWN, /is \*\*90\*\*, over 2 rows/],
    ['Menge vom 3. bis 4. Oktober zusammen?', GRAPES, /Menge \(kg\) is \*\*1001\*\*, over 2 rows/],
    [
      'List every stop of more than 6 hours - date, mill, hours',
      DOWN,
      /M2[^\n]*7\.5\n[^\n]*M1[^\n]*14\n\nCheck this: [^\n]*“stop”/,
    ],
    ['What is the average energy for each of the mills?', DOWN, /M2: \*\*65\*\* \(2 rows\)/],
    ['What is the hightest energy?', DOWN, /^The highest energy/],
    [
      'What was the total energy of M2 for the year?',
      DOWN,
      /is \*\*130\*\*, over 2 rows[\s\S]*go from 2025-11-01 to 2025-12-01/,
    ],
    [
      'List every month in which lead was more expensive than tin.',
      METALS,
      /Lead over Tin:\n\n- 2020-01-01\n- 2020-03-01/,
    ],
    ['How many months was tin cheaper than lead?', METALS, /\*\*2\*\* .*Tin under Lead/],
    ['Which are the two busiest halts?', STOPS, /^The 2 highest passengers:\n\n- name: Quay, passengers: 900/],
    ['Quelles sont les deux gares les plus fréquentées ?', STOPS, /^The 2 highest passengers/],
    ['Give me all halts opened before 1900.', STOPS, /Hill[\s\S]*Moor/],
    ['Compare the adult card with the junior card: items, period?', CARDS, /12[\s\S]*21 days[\s\S]*20[\s\S]*28 days/],
    ['Wie viel kg Riesling haben wir insgesamt gelesen?', GRAPES, /Menge \(kg\) is \*\*1001\*\*/],
    ['Wie viele Leser waren am 03.10.2025 dabei?', GRAPES, /Leser is \*\*8\*\*/],
    ['How many loans have not come back yet?', LOANS, /^\*\*1\*\* row .*Returned empty/],
    ['How many objects have nothing in the Returned column?', LOANS, /^\*\*1\*\*/],
    [
      'How many titles are run by a firm, and what share of all is that?',
      TITLES,
      /^\*\*2\*\* rows[\s\S]*\*\*66\.67 %\*\*: 2 of 3/,
    ],
  ])('%s', async (prompt, file, answer) => expect(await asked(prompt, file)).toMatch(answer));

  const DRIVES: [string, string] = [
    'drives.csv',
    'Date;Driver;Purpose;Course;Fuel (l);Cost (EUR)\n2024-08-02;Ott;fair;Excel advanced;11,5;20,10\n2024-08-09;Uhl;client visit;Excel basic;;\n2024-08-28;Ott;client visit;Word basic;4,4;7,26\n2024-09-03;Abt;client visit;Excel advanced;;\n',
  ];
  const BEASTS: [string, string] = [
    'beasts.csv',
    'Name,Diet,Hours asleep,Died at\nLion,carni,13,9\nHare,herbi,8,\nCow,herbi,4,20\nSow,omni,9,15\n',
  ];
  const JOBS: [string, string] = [
    'us jobs.csv',
    'month,mining,retail\n2006-01-01,20,90\n2006-02-01,21,95\n2015-01-01,35,80\n',
  ];
  it.each([
    ['Wie viel Liter wurden am 28. August getankt?', DRIVES, /Fuel \(l\) is \*\*4\.4\*\*, over 1 row/],
    ['How many litres did Ott fill?', DRIVES, /Fuel \(l\) is \*\*15\.9\*\*, over 2 rows/],
    ['cost of all drives added up', DRIVES, /Cost \(EUR\) is \*\*27\.36\*\*/],
    ['How many took the advanced Excel course?', DRIVES, /^\*\*2\*\* rows .*Course = Excel advanced/],
    ['What percentage of the 4 beasts are herbivores?', BEASTS, /^I cannot/],
    ['What percentage of the 12 beasts are herbivores (diet = herbi)?', BEASTS, /^\*\*50 %\*\*: 2 of 4 rows/],
    ['Average hours asleep of the herbi, please (leave out unknown hours)', BEASTS, /is \*\*6\*\*, over 2 rows/],
    ['Compare mining jobs in January 2006 with January 2015. What is the difference?', JOBS, /\+15\*\*, from 20 to 35/],
    ['How many years does a lion live?', BEASTS, /^I cannot count or compare this\. What it names:/],
  ])('%s', async (prompt, file, answer) => expect(await asked(prompt, file)).toMatch(answer));

  it('shows the rows of a statement that an average is worked out from', async () => {
    const report =
      '# Annual report\n\nSales grew in both years.\n\n## Statement of income\n\n| In millions | 2019 | 2018 |\n| --- | --- | --- |\n| Net revenues | 6,489 | 7,500 |\n\n## Statement of cash flows\n\n| In millions | 2019 | 2018 |\n| --- | --- | --- |\n| Capital expenditures | 116 | 131 |\n';
    const answer = await asked('What is the two year average of capex as a % of revenue?', ['report.md', report]);
    expect(answer).toContain('Capital expenditures | 116');
    expect(answer).not.toContain('I cannot count');
  });

  it('counts no drivers for the drives', async () => {
    const trips: [string, string] = ['buch.csv', 'Datum;Fahrer/in;Zweck\n01.02.2024;Ott;Messe\n02.02.2024;Ott;Messe\n'];
    expect(await asked('Wie viele Fahrten waren zur Messe?', trips)).toMatch(/^\*\*2\*\* rows/);
  });

  const FLEET: [string, string] = [
    'fleet.csv',
    'Truck,Driver,Colour,Paid\nT1,Ann,red,Yes\nT2,Carl,white,No\nT3,Bo,red,No\n',
  ];
  const ROUTES: [string, string] = [
    'routes.csv',
    'Date,Route,Riders,Quantity\n2025-06-09,Berlin-Hamburg,90,5\n2025-06-11,Hamburg-Berlin,120,6\n2025-06-15,Berlin-Hamburg,30,9\n2025-06-30,Berlin-Hamburg,10,9\n2025-07-02,Berlin-Hamburg,20,9\n',
  ];
  const SALES_DE: [string, string] = ['Umsatz.csv', 'Datum;Umsatz;Vorjahr\n01.03.2024;220;200\n01.03.2025;320;210\n'];
  const SURVEY: [string, string] = [
    'survey.csv',
    'Person,Gender,Score,City\nA,female,4,Mayenne\nB,unknown,2,Paris\nC,male,5,Mayenne\nD,female,3,"Paris, Texas"\n',
  ];
  const HOURS: [string, string] = [
    'hours.csv',
    'Name,Level,Team,Hours\nIda,intern,red,10\nAbe,senior,red,90\nEve,intern,blue,50\n',
  ];
  const PLOTS: [string, string] = [
    'plots.csv',
    `Plot,Organic,Built year of shed
P1,Yes,1998
P2,No,2004
P3,Yes,1998
P4,No,2010
P5,Yes,2004
P6,unknown,
P7,No,2015
P8,Yes,2021
P9,unknown,2010
P10,Yes,1998
`,
  ];
  const SELLERS: [string, string] = [
    'umsatz.csv',
    'Datum;Verkäufer;Ort\n01.02.2024;Ott;Berlin\n02.02.2024;Ott;Berlin\n03.02.2024;Uhl;Berlin\n04.02.2024;Uhl;Ulm\n',
  ];
  const BILLS: [string, string] = [
    'bills.csv',
    'Bill,Invoice date,Paid date,Amount\nB1,2025-11-02,2025-11-20,100\nB2,2025-11-05,2025-12-03,200\n',
  ];
  const HEAT: [string, string] = [
    'heat.csv',
    'Month,Inside,Outside\n2025-01-01,20,5\n2025-02-01,19,25\n2025-03-01,18,8\n',
  ];
  it.each([
    ['How many riders on Hamburg-Berlin?', ROUTES, /Riders is \*\*120\*\*/],
    ['How many riders from June 28 to 3 July?', ROUTES, /Riders is \*\*30\*\*/],
    ['How many riders from 9 to 11 June?', ROUTES, /Riders is \*\*210\*\*/],
    ['Wie hoch war der Umsatz 2024?', SALES_DE, /Umsatz is \*\*220\*\*/],
    ['Summe Vorjahr', SALES_DE, /Vorjahr is \*\*410\*\*/],
    ['What is the average score, ignoring unknown?', SURVEY, /is \*\*4\*\*, over 3 rows/],
    ['Combien de personnes à Mayenne ?', SURVEY, /^\*\*2\*\* /],
    ['How many rows with the city Paris?', SURVEY, /^\*\*1\*\* row/],
    ['In how many months was inside cooler than outside?', HEAT, /\*\*1\*\* .*Inside under Outside/],
    ['By how many hours is red more than blue?', HOURS, /a difference of 50\./],
    ['How many loans came back on time?', LOANS, /^\*\*1\*\* row .*Returned at most Due back/],
    ['How many loans were returned?', LOANS, /^\*\*2\*\* rows .*Returned not empty/],
    ['What percentage is organic, leaving out unknown?', PLOTS, /^\*\*62\.5 %\*\*: 5 of 8/],
    ['How many plots have a shed built in 1998?', PLOTS, /^\*\*3\*\* /],
    ['Wie viele Verkäufe gab es in Berlin?', SELLERS, /^\*\*3\*\* rows/],
    ['Hours by a team', HOURS, /red: \*\*100\*\*/],
  ])('%s', async (prompt, file, answer) => expect(await asked(prompt, file)).toMatch(answer));

  it.each([
    ['How many trips before 11:40?', TRIPS],
    ['Which trips started after 07:15?', TRIPS],
    ['How many hours was the Heron out?', TRIPS],
    ['How many days was the Heron out in total?', TRIPS],
    ['How many trucks does Ann not drive?', FLEET],
    ['How many red tulips are there?', FLEET],
    ['How many riders on 9 and 15 June?', ROUTES],
    ['How many interns are there and what share of the hours is that?', HOURS],
    ['How many bills were paid this month?', BILLS],
    ['In how many months was inside drier than outside?', HEAT],
    ['What was the average copper price for the year?', PRICES],
    ['What was the total energy this month?', DOWN],
    ['How many lumber orders were there?', DOWN],
    ['What is the difference in length between male and female crabs?', CRABS],
    ['How many trips took place at 12:40?', TRIPS],
    ['How many holders have a line?', TITLES],
  ])('gives no figure for what is not clear: %s', async (prompt, file) =>
    expect(await asked(prompt, file)).toMatch(/^I cannot count/),
  );
});

const STOCK: [string, string] = [
  'stock.csv',
  'Art.-Nr.;Bezeichnung;Lager;Bestand;EK-Preis;Lagerwert\n10205;Dübel 8 mm;Halle 2;400;0,03;12,00\n10364;FI-Schalter 40 A;Halle 2;24;29,90;717,60\n10400;Lasur;Halle 1;132;48,60;6415,20\n',
];
const TRAINING: [string, string] = [
  'training.csv',
  'Name,Dept,Hrs,Fuel (l),Fuel cost (EUR)\nAnn,Sales,12,10,20\nBob,Sales,6,5,11\nCem,IT,9,7,15\n',
];
const TRIAL: [string, string] = [
  'trial.csv',
  'Site,Variety,Yield\nNorth,A,10\nNorth,B,20\nSouth,A,40\nSouth,B,30\nWest,A,1\nWest,B,2\n',
];
const ORDERED: [string, string] = ['orders.csv', 'Text,Qty,Total\nLamp,2,20.00\nRug,1,30.00\n'];
const GRID: [string, string] = [
  'grid.csv',
  'year,source,net_generation\n2016,Coal,60\n2016,Wind,40\n2017,Coal,30\n2017,Wind,30\n',
];
describe('reads short headings and what stands beside a question', () => {
  it.each<[string, [string, string], RegExp]>([
    ['Wie viele Artikel sind in Halle 2?', STOCK, /^\*\*2\*\*/],
    ['Wieviele FI-Schalter haben wir noch?', STOCK, /Bestand is \*\*24\*\*/],
    ['Total hours for the sales department', TRAINING, /Hrs is \*\*18\*\*/],
    ['What did we pay for fuel in total?', TRAINING, /Fuel cost \(EUR\) is \*\*46\*\*/],
    [
      'Which site had the best yield on average, and how high was it?',
      TRIAL,
      /^The highest: Average of Yield[^-]*- South: \*\*35\*\*/,
    ],
    ['At which location was the total yield highest?', TRIAL, /South: \*\*70\*\*[\s\S]*“location” is the column Site/],
    [
      'Which three trials have the highest yield?',
      TRIAL,
      /^The 3 highest Yield:[\s\S]*Yield: 40[\s\S]*Yield: 30[\s\S]*Yield: 20/,
    ],
    [
      'South vs West: which has more yield on average?',
      TRIAL,
      /^\*\*South\*\* has a higher average of Yield: 35, against 1\.5/,
    ],
    [
      'Which crop has the highest yield?',
      TRIAL,
      /^The highest Yield:[\s\S]*Check this: nothing in the table is called “crop”/,
    ],
    ['What percentage of the electricity came from wind in 2016?', GRID, /^\*\*40 %\*\*: 40 of 100 \(net_generation\)/],
    ['What percentage of the order total is lamp?', ORDERED, /^\*\*40 %\*\*: 20 of 50 \(Total\)/],
    ['How many rows have a net generation of more than 0.05 thousand?', GRID, /^\*\*1\*\* row/],
  ])('%s', async (prompt, file, expected) => expect(await asked(prompt, file)).toMatch(expected));
});

describe('reads the sheets of one table together', () => {
  const sheet = (name: string, rows: string[][]) => ({ name, rows: [['Date', 'Show', 'Sold', 'Remark'], ...rows] });
  const book = writeXlsx([
    sheet('Spring 2024', [
      ['2024-03-01', 'Lantern', '10', ''],
      ['2024-03-02', 'Lantern', '20', 'cancelled, storm'],
    ]),
    sheet('Autumn 2024', [
      ['2024-09-01', 'Harbour', '40', 'press night'],
      ['2024-09-02', 'Harbour', '5', 'cancelled, illness'],
    ]),
  ]);
  it.each<[string, RegExp]>([
    [
      'How many shows were cancelled in 2024, both seasons?',
      /^\*\*2\*\* rows[^\n]*Remark = any with “cancelled”[\s\S]*'Spring 2024'!A1:D3, row 2 [\s\S]*'Autumn 2024'!A1:D3, row 2 /,
    ],
    ['How many tickets did we sell in spring?', /Sold is \*\*30\*\*, over 2 rows with Sheet = Spring 2024/],
    ['How many tickets were sold on 1 September 2024?', /Sold is \*\*40\*\*/],
    ['Sold for each sheet', /Autumn 2024: \*\*45\*\*[\s\S]*Spring 2024: \*\*30\*\*/],
    [
      'Which show had the most tickets in the afternoon?',
      /^I cannot count[\s\S]*Spring 2024: Date[\s\S]*Autumn 2024: Date(?![\s\S]*Sheet)/,
    ],
  ])('%s', async (prompt, expected) => {
    const fileIds = [await at.store('shows.xlsx', book)];
    expect((await at.run({ prompt, fileIds })).text).toMatch(expected);
  });

  it('says that days could not be read', async () => {
    const text = 'Day,Take\n2024-03-01,10\n2024-03-02,20\n2024-03-03,30\nsometime in March,40\n';
    expect(await asked('What was the total take in March 2024?', ['take.csv', text])).toMatch(
      /Take is \*\*60\*\*[\s\S]*Check this: some cells of Day could not be read as a day, and their rows are left out\./,
    );
  });
});

describe('compares the same column of two files', () => {
  const ORDER: [string, string] = [
    'order.csv',
    'Line,Item code,Text,Qty,Price each\n1,A-1,Chair,2,10.00\n2,A-2,Table,1,20.50\n3,A-9,Lamp,1,5.00\n',
  ];
  const LIST: [string, string] = [
    'list.csv',
    'Code,Article,Unit price,Weeks\nA-1,Chair,10.00,1\nA-2,Table,21.00,2\nA-3,Desk,30.00,1\n',
  ];
  const TIERS: [string, string] = ['list.csv', 'Code,From pieces,Unit price\nA-1,1,10.00\nA-1,5,9.00\nA-2,1,20.50\n'];
  it.each<[string, [string, string][], RegExp]>([
    [
      'Do the prices of the order agree with the list?',
      [ORDER, LIST],
      /^\*\*1\*\* of 2 differ, Price each in order\.csv and Unit price in list\.csv:\n\n- A-2: \*\*20\.50\*\* and \*\*21\.00\*\* \(-0\.5\)\n\nNot in list\.csv: A-9\.[\s\S]*order\.csv, A1:E4, rows 1, 2 of[\s\S]*list\.csv, A1:D4, rows 1, 2 of/,
    ],
    ['Stimmen die Preise überein?', [ORDER, LIST], /^\*\*1\*\* of 2 differ/],
    [
      'Which prices do not match?',
      [ORDER, ORDER.with(0, 'copy.csv') as [string, string]],
      /^\*\*None\*\* of 3 differ: Price each in order\.csv and Price each in copy\.csv are the same/,
    ],
    ['Do the prices of chairs agree with the list?', [ORDER, LIST], /^(?!\*\*)/],
    ['Do the prices agree without the tables?', [ORDER, LIST], /^(?!\*\*)/],
    ['Do the prices agree with the list?', [ORDER, TIERS], /^(?!\*\*)/],
    ['Do the weights agree with the list?', [ORDER, LIST], /^(?!\*\*)/],
    [
      'Does the crown price on the invoice agree with the letter?',
      [
        ['invoice.md', '# Invoice\n\nWe made 14 crowns. The crown price is 124.00.\n'],
        ['letter.md', '# Letter\n\nThe crown price of each invoice is 118.00 until June.\n'],
      ],
      /^Check this: I cannot compare what several files say[\s\S]*118\.00[\s\S]*124\.00/,
    ],
    [
      'Who won the match in May?',
      [
        ['may.md', '# May\n\nAda Brandt won the match in May.\n'],
        ['june.md', '# June\n\nIn June the club was closed.\n'],
      ],
      /^> Ada Brandt won the match in May\./,
    ],
  ])('%s', async (prompt, files, expected) => expect(await asked(prompt, ...files)).toMatch(expected));
});

const REMARKS: [string, string] = [
  'shows.csv',
  'Show,Street,Remark\nA,North Street,not cancelled after all\nB,South Street,"cancelled, storm"\nC,North Road,"cancelled, illness"\n',
];
const FLEET_OF: [string, string] = ['fleet.csv', 'Vehicle,Type,Mileage\nV1,electric,100\nV2,diesel,900\n'];
const TRAVEL: [string, string] = [
  'travel.csv',
  'Name,Travel time (h),Travel cost (EUR),Diesel (l)\nAnn,5,10,3\nBob,1,90,4\n',
];
const ENDS: [string, string] = [
  'contracts.csv',
  'Contract,End\nC1,31.12.24\nC2,31.12.30\nC3,30.06.35\nC4,15.05.26\nC5,13.02.27\nC6,14.02.27\nC7,15.02.28\n',
];
const CARS_SOLD: [string, string] = ['garage.csv', 'Car,Sold\nV1,2020\nV2,2021\nV3,2024\n'];
const REVENUE: [string, string] = ['firms.csv', 'Firm,Revenue (kEUR)\nA,50\nB,2000\nC,900\n'];
const DEPOTS: [string, string] = ['depots.csv', 'Depot,Fuel cost\nA,5\nB,9\nC,7\n'];
const SCREWS: [string, string] = ['screws.csv', 'Article,Kind,Bestand\n1,Schraube A,400\n2,Schraube B,200\n'];
const HALVES: [string, string] = ['halves.csv', 'Region,Half-Year,Full-Year\nNorth,10,30\nSouth,20,50\n'];
it.each<[string, [string, string], RegExp]>([
  ['How many shows were cancelled?', REMARKS, /^(?!\*\*3)/],
  ['How many shows are in North Street and North Road?', REMARKS, /^(?!\*\*3)/],
  ['How many shows are in South Street and North Road?', REMARKS, /^(?!\*\*3)/],
  ['What percentage of the fleet is electric?', FLEET_OF, /^\*\*50 %/],
  ['Who spent the most time on travel?', TRAVEL, /^The highest Travel time \(h\):\n\n- Name: Ann/],
  ['How much petrol did we use?', TRAVEL, /^(?!The sum of Diesel)/],
  ['How many contracts end after 2025?', ENDS, /Check this: some cells of End could not be read as a day|^I cannot/],
  ['How many vehicles did we sell?', CARS_SOLD, /^(?!.*6065)/],
  ['How many firms have a revenue over 1 million?', REVENUE, /^(?!\*\*0)/],
  ['How many firms have a revenue over 60 thousand?', REVENUE, /^(?!\*\*0)/],
  ['Which of the three depots has the highest fuel cost?', DEPOTS, /^(?!The 3 highest)[\s\S]*Depot: B/],
  ['Wie viele verschiedene Schrauben gibt es?', SCREWS, /^(?!.*600)/],
  ['What is the highest Half-Year figure?', HALVES, /^The highest Half-Year:/],
])('reads no more into a question than it says: %s', async (prompt, file, expected) =>
  expect(await asked(prompt, file)).toMatch(expected),
);

it('takes no day for a number of a phone', async () => {
  const members = 'No.,Surname,First name,Born\nR-1,Iqbal,Dev,21/04/2006\nR-2,Noble,Ben,03/11/1999\n';
  expect(await asked('What is the phone number of Dev Iqbal?', ['members.csv', members])).toMatch(
    /^(?:No passage|I cannot|The attached)/,
  );
});

describe('stays fast', () => {
  const table = {
    table: 't1',
    name: 'sales.csv',
    place: 'A1:C9',
    columns: ['Customer', 'Region', 'Amount', 'Order date'].map((heading) => ({
      column: heading.toLowerCase().replace(' ', '_'),
      heading,
      type: heading === 'Amount' ? 'number' : heading === 'Order date' ? 'date' : 'text',
    })),
  };
  const values = Array.from({ length: 1_000 }, (_, at) => ['t1', 'customer', `how many ${at} a a a`] as const);

  it.each([
    'how many ',
    'a',
    'top 3 ',
    'between 2026 and ',
    'more than 1,1',
    'per a ',
    '¤',
    'what is the ',
    '1 ',
    'in mar ',
    "d'",
    'plus ',
  ])('with questions of %j', (crumb) => {
    for (const length of [390, 100_000]) {
      const question = `total ${crumb.repeat(Math.floor((length - 6) / crumb.length))}`;
      const took = processorMs(() => {
        asksForFigure(question);
        needsFigure(question);
        planFigure(question, [table, { ...table, table: 't2' }], values);
      });
      expectWithin(took, 1_000);
    }
  });
});
