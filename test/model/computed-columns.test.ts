/** The offline model calculates a column from two of a table: what is left to pay, what is over a budget, a rise. */
import { afterAll, describe, expect, it } from 'vitest';
import { openAgent } from '../agents/setup.ts';

const at = openAgent();
afterAll(() => at.close());

async function asked(prompt: string, table: string): Promise<string> {
  const fileId = await at.storeText('t.csv', table);
  return (await at.run({ prompt, fileIds: [fileId] })).text?.replace(/\n\n_Written by[\s\S]*$/, '') ?? '';
}

const FEES = `Member,Section,Fee due,Paid,Paid on
Ann Hall,Rowing,120.00,120.00,2025-01-10
Ben Cole,Rowing,120.00,60.00,2025-01-12
Cara Dunn,Sailing,150.00,,
Dev Patel,Sailing,150.00,150.00,2025-02-01
Eve Fox,Junior,40.00,10.00,2025-02-03
`;
const INVOICES = `Invoice,Customer,Amount,Deposit,Status
R-1,Alder,1000,200,open
R-2,Birch,500,400,paid
R-3,Alder,300,0,open
`;
const BUDGETS = `Department,Head,Budget 2025,Actual 2025,Budget 2026
Sales,Ruth Wild,50000,52300,56000
IT,Sam Lee,80000,71500,83000
Warehouse,Tom Pike,30000,36500,30500
`;
const COSTS = 'Element,FY24,FY25\nRent,1200,1300\nPower,400,610\nWater,90,\nGas,50,40\n';
const STOCK = 'Item,Stock,Minimum\nBolt,120,200\nNut,500,200\nWasher,80,90\n';

describe('what is left to pay', () => {
  it.each([
    ['How much is still owed in total?', /The sum of Fee due − Paid is \*\*240\*\*/],
    ['How much does Ben Cole still owe?', /Fee due − Paid is \*\*60\*\*, over 1 row/],
    [
      'Who has not paid in full yet?',
      /Fee due over Paid:[\s\S]*Ben Cole, 60,[\s\S]*Cara Dunn, 150,[\s\S]*Eve Fox, 30,/,
    ],
    ['How many members haven’t paid everything?', /^\*\*3\*\*/],
    ['Who owes more than 50?', /Ben Cole, 60,[\s\S]*Cara Dunn, 150,(?![\s\S]*Eve)/],
    ['Who owes the most?', /Member: Cara Dunn, Fee due − Paid: 150/],
    ['Which section owes the most?', /- Sailing: \*\*150\*\*/],
    ['Who hasn’t paid?', /Paid on empty:\n\n- Cara Dunn/],
    // A column has the amounts paid, so "paid" does not filter the amounts due.
    ['How much has been paid so far?', /The sum of Paid is \*\*340\*\*/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, FEES)).toMatch(answer));

  it.each([
    ['Which invoices are still open?', /Status = open:\n\n- R-1\n- R-3/],
    ['Which invoices are not paid in full?', /I cannot/],
  ])('%s A column of states comes first', async (prompt, answer) =>
    expect(await asked(prompt, INVOICES)).toMatch(answer),
  );

  it('in other languages', async () => {
    const german = 'Name;Klasse;Betrag soll;bezahlt\nEva;4a;45,00;45,00\nTom;4a;45,00;20,00\n';
    expect(await asked('Wer hat noch nicht alles bezahlt?', german)).toMatch(/- Tom, 25,/);
    expect(await asked('Wie viel Geld ist noch offen?', german)).toMatch(/\*\*25\*\*/);
    const french = 'Nom;Cotisation due;Versé\nAlice;90,00;40,00\nMarc;90,00;90,00\n';
    const question = 'Combien reste-t-il à encaisser en tout (cotisations dues moins versées) ?';
    expect(await asked(question, french)).toMatch(/Cotisation due − Versé is \*\*50\*\*(?![\s\S]*Check this)/);
  });
});

describe('no other columns than those of a pair', () => {
  const COURSES = 'Course,Price,Booked,Payments\nYoga,90,12,10\nPottery,150,6,4\n';
  const TEAMS = 'Team,Budget,Actual headcount\nSales,50000,5\nIT,80000,7\n';
  const GUESTS = 'Guest,Amount,Paid\nAnn,40,40\nCy,80,50\nDi,40,60\n';
  const PUPILS = 'Élève;Montant dû;Payé\nAlice;120,00;120,00\nMarc;120,00;60,00\n';
  const LOANS = 'Loan,Member,Due date\nL1,Ann,2025-03-01\nL2,Bo,2025-02-01\n';
  it.each([
    ['How much is outstanding for pottery?', COURSES, /I cannot/],
    ['What is the total price still to be paid?', COURSES, /I cannot/],
    ['How much budget is left?', TEAMS, /I cannot/],
    ['Which team is over budget?', TEAMS, /I cannot/],
    // The row of one who paid too much may stand for an earlier one.
    ['How much is still owed in total?', GUESTS, /I cannot/],
    ['Who has not paid in full?', GUESTS, /Amount over Paid:\n\n- Cy, 30/],
    ["Combien d'élèves doivent encore payer ?", PUPILS, /^\*\*1\*\*/],
    ['How many days per course?', COURSES, /I cannot/],
    ['How many euros per team?', TEAMS, /I cannot/],
    ['When is the loan of Bo due?', LOANS, /\*\*2025-02-01\*\*/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, table)).toMatch(answer));
});

describe('no sum that the columns do not give', () => {
  const WEDDING =
    'Supplier,Service,Cost,Deposit paid,Balance due\nBloom,Flowers,900,300,600\nHall,Venue,5000,2000,3000\n';
  const REORDERS =
    'Item,Stock,Reorder level,Reordered on\nBolt,120,200,2025-03-02\nNut,500,200,2025-01-10\nGlue,4,10,\n';
  const GROUPS = 'Group,People,Price per person,Paid\nChoir,12,25,100\nSchool,28,10,0\n';
  const TEAMS = 'Team,Budget 2025,Spent 2024\nSales,100,120\nIT,90,80\n';
  const BOOKINGS = 'Booking,Amount,Paid,Status\nB1,1800,450,confirmed\nB2,3200,800,cancelled\n';
  const RENTS = 'Tenant,Month,Rent due,Paid\nMoss,Jan,800,500\nMoss,Feb,800,1100\nLane,Jan,600,0\n';
  const ORDERS = 'Order,Amount,Paid\nO1,300,300\nO2,500,200\nO3,980,980\n';
  const PROJECTS = 'Project,Budget,Spent\nAtlas,40,45\nBorealis,60,32\nEcho,30,33\n';
  it.each([
    // A column of what is left is the answer itself.
    ['How much is still owed in total?', WEDDING, /The sum of Balance due is \*\*3600\*\*/],
    ['How much did the venue cost?', WEDDING, /\*\*5000\*\*, over 1 row with Service = Venue/],
    ['What is the reorder level of Nut?', REORDERS, /\*\*200\*\*/],
    ['Which items were reordered in March?', REORDERS, /Reordered on = 03: \*\*Bolt\*\*/],
    ['Which items need to be reordered?', REORDERS, /Stock under Reorder level:\n\n- Bolt\n- Glue/],
    ['How many units do we need to reorder in total?', REORDERS, /I cannot/],
    ['What share of the amounts is still outstanding?', ORDERS, /I cannot/],
    ['Who has not paid in full?', GROUPS, /No passage answers|I cannot/],
    ['Which teams overspent?', TEAMS, /No passage answers|I cannot/],
    ['How much is still owed in total?', BOOKINGS, /I cannot/],
    ['Who still owes rent?', RENTS, /No passage answers|I cannot/],
    ['How much does Moss still owe?', RENTS, /I cannot|What it names/],
    ['Which orders over 400 are not paid in full?', ORDERS, /Amount over 400:\n\n- O2, 300,/],
    ['Which projects are not over budget?', PROJECTS, /I cannot/],
    ['Is Borealis over budget?', PROJECTS, /The row of .* Project = Borealis/],
    ['How much did we overspend in total?', PROJECTS, /\*\*8\*\*, over 2 rows with Spent over Budget/],
    [
      'Which projects exceed their budget by more than 4?',
      PROJECTS,
      /Spent − Budget over 4:\n\n- Atlas, 5, 40, 45\n\n\*/,
    ],
    ['Which projects are left?', PROJECTS, /No passage answers|I cannot/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, table)).toMatch(answer));
});

describe('a budget, a rise and a minimum', () => {
  it.each([
    ['Which departments overspent, and by how much?', /- Sales, 2300,[\s\S]*- Warehouse, 6500,/],
    ['Which department overspent the most?', /Department: Warehouse, Actual 2025 − Budget 2025: 6500/],
    ['How much of its budget does IT have left?', /Budget 2025 − Actual 2025 is \*\*8500\*\*/],
    ['Which department has the least budget left in 2025?', /Department: Warehouse, Budget 2025 − Actual 2025: -6500/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, BUDGETS)).toMatch(answer));

  it.each([
    ['Which element had the biggest increase from FY24 to FY25, and by how much?', /Element: Power, FY25 − FY24: 210/],
    // An empty cell does not count as zero: Water would have fallen the most.
    ['Which element fell the most from FY24 to FY25?', /Element: Gas, FY24 − FY25: 10/],
    ['How much did Power rise from FY24 to FY25?', /FY25 − FY24 is \*\*210\*\*/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, COSTS)).toMatch(answer));

  it('Which items need to be reordered?', async () => {
    expect(await asked('Which items need to be reordered?', STOCK)).toMatch(/Stock under Minimum:\n\n- Bolt\n- Washer/);
  });
});

describe('words around a figure', () => {
  const SINGERS = 'Name,Section\nAda,Alto\nBo,Bass\nCy,Alto\n';
  const BILLS = 'Case,State,Repair $,Other $,Total $\nA,Texas,5,1,6\nB,Texas,3,2,5\nC,Ohio,7,2,9\n';
  it.each([
    [
      'How many singers per section?',
      SINGERS,
      /Alto: \*\*2\*\*[\s\S]*Check this: nothing in the table is called “singers”/,
    ],
    ['What were the 2 highest total costs?', BILLS, /- Case: C, Total \$: 9[\s\S]*- Case: A, Total \$: 6/],
    ['Which state has the highest total costs?', BILLS, /- Texas: \*\*11\*\*/],
    [
      'Which state has the highest total costs (all damage counts)?',
      BILLS,
      /Texas[\s\S]*“\(all damage counts\)” was left out/,
    ],
    ['Which case has the highest total, and how high was it?', BILLS, /- C: \*\*9\*\*(?![\s\S]*I cannot)/],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, table)).toMatch(answer));

  const ORDERS = `Auftr.-Nr.;Arbeit;KV netto;Rg. netto;bez.
A1;Bremsen;364,25;378,82;ja
A2;Kupplung;980,00;900,00;nein
A3;Bremsen;120,00;150,00;nein
`;
  const STORE =
    'Artikel;Warengruppe;Bestand;EK-Preis;Lagerwert\nLampe;Elektro;4;5,00;20,00\nRohr;Sanitär;2;9,00;18,00\n';
  it.each([
    ['Bei wie vielen Aufträgen war die Rechnung höher als der Kostenvoranschlag?', ORDERS, /^\*\*2\*\*/],
    ['Wie viel Geld ist bei den unbezahlten Rechnungen noch offen (netto)?', ORDERS, /Rg\. netto is \*\*1050\*\*/],
    ['Was haben wir insgesamt fürs Elektromaterial im Lager an Wert?', STORE, /Lagerwert is \*\*20\*\*/],
    [
      'Liste les factures qui n’ont pas encore été remboursées',
      'Réf.;Salarié;Remb. le\nN1;Zoé;24/01/2024\nN2;Ana;\nN3;Zoé;13/02/2024\n',
      /Remb. le empty:\n\n- N2/,
    ],
  ])('%s', async (prompt, table, answer) => expect(await asked(prompt, table)).toMatch(answer));
});

describe('columns of 0 and 1, and of years', () => {
  const PASSENGERS = `name,class,sex,survived
"Allen, Miss Elisabeth",1st,female,1
"Allison, Miss Helen",1st,female,0
"Andrews, Mr Thomas",1st,male,0
"Bird, Miss Ellen",1st,female,1
"Olsen, Mr Karl",3rd,male,1
`;
  it.each([
    ['How many female passengers of the 1st class survived?', /^\*\*2\*\* rows of .* survived = 1/],
    ['How many passengers did not survive?', /^\*\*2\*\* rows of .* survived = 0/],
    ['Which percentage of the women survived?', /^\*\*66\.67 %\*\*/],
    [
      'Did more passengers survive in the 1st or in the 3rd class, and how many in each?',
      /^\*\*1st\*\* has more(?![\s\S]*I cannot)/,
    ],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, PASSENGERS)).toMatch(answer));

  const CASES =
    'last_name,first_name,convicted,exonerated\nAbel,Ann,1995,2014\nBaker,Bo,1983,2014\nCole,Cy,1983,2001\n';
  it('counts by the years of a column, instead of ranking rows by them', async () => {
    expect(await asked('In which year were the most people exonerated?', CASES)).toMatch(/- 2014: \*\*2\*\*/);
    expect(await asked('In which year were the most people convicted?', CASES)).toMatch(/- 1983: \*\*2\*\*/);
    const alumni = 'person,graduated\nAda,2012\nCem,2014\nEva,2012\n';
    expect(await asked('In which year were the most people graduated?', alumni)).toMatch(/- 2012: \*\*2\*\*/);
    const boats = 'boat,built\nAlba,2012\nBora,2014\nCoro,2012\n';
    expect(await asked('In which year were the most ferries built?', boats)).not.toMatch(/The highest built/);
  });
});
