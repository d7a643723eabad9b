/** How many questions in four languages over generated tables the keyless model answers, against truth from plain code. */
import { expect, it } from 'vitest';
import { writeXlsx } from '../../engines/outputs/workbook.ts';
import { docxOf, paragraph } from '../documents/file-builders.ts';
import { render } from '../reports/setup.ts';
import { seededRandom } from '../seeded-random.ts';
import { openAgent } from './setup.ts';

const next = seededRandom(29);
const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
const cents = (from: number, to: number): number => between(from * 100, to * 100) / 100;
const many = <T>(count: number, make: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => make(nth));
const day = (from: number, to: number): string =>
  `2026-${String(between(from, to)).padStart(2, '0')}-${String(between(1, 28)).padStart(2, '0')}`;

const sum = (all: readonly number[]): number => Math.round(all.reduce((total, one) => total + one, 0) * 100) / 100;
const mean = (all: readonly number[]): number => sum(all) / all.length;

const trips = many(60, () => ({
  on: day(1, 6),
  driver: pick(['Yılmaz', 'Brandt', 'Köhler', 'Nowak']),
  to: pick(['Kiel', 'Lübeck', 'Bremen', 'Rostock']),
  km: between(20, 400),
  cost: cents(10, 300),
}));
const people = many(24, (nth) => ({
  name: `${pick(['Ines', 'Omar', 'Petra', 'Liam'])} ${['Abel', 'Baker', 'Crane', 'Dunn', 'Ewing', 'Foss', 'Gale', 'Hart', 'Iqbal', 'Jansen', 'Kerr', 'Lowe', 'Moss', 'Nash', 'Olsen', 'Pike', 'Quinn', 'Reyes', 'Stone', 'Tate', 'Udell', 'Vance', 'Ward', 'York'][nth]}`,
  department: pick(['Dyeing', 'Weaving', 'Dispatch']),
  since: `20${between(12, 25)}-0${between(1, 9)}-1${between(0, 9)}`,
  salary: 24_000 + nth * 730 + between(0, 700),
  hours: between(18, 40),
}));
const sales = many(30, () => ({
  on: day(3, 9),
  shop: pick(['Nantes', 'Rennes', 'Brest']),
  product: pick(['Cidre', 'Miel', 'Savon']),
  count: between(1, 40),
  amount: cents(5, 900),
}));
const orders = many(26, () => ({
  on: day(1, 4),
  client: pick(['Hotel Miramar', 'Bodegas Rey', 'Talleres Sol', 'Colegio Norte']),
  city: pick(['Cádiz', 'León', 'Vigo']),
  amount: cents(40, 2_000),
}));
const buyers = ['Fennel Ltd', 'Gorse & Co', 'Heath plc', 'Ivy Stores', 'Juniper AG'].map((name, nth) => ({
  id: `C-${101 + nth}`,
  name,
  country: ['Ireland', 'Norway', 'Ireland', 'Malta', 'Norway'][nth] ?? '',
}));
const deliveries = many(80, (nth) => ({
  number: `D-${5_000 + nth}`,
  on: day(1, 12),
  buyer: pick(buyers),
  article: pick(['Rope', 'Canvas', 'Anchor', 'Lantern']),
  weight: between(1, 90),
  value: cents(20, 1_500),
}));

const german = (value: number): string => value.toFixed(2).replace('.', ',');
const number = (value: number) => ({ type: 'number', value: String(value) }) as const;
const csv = (rows: readonly (readonly (string | number)[])[], comma = ','): string =>
  rows.map((row) => `${row.join(comma)}\n`).join('');

const cell = (text: string) => `<w:tc>${paragraph(`<w:r><w:t>${text}</w:t></w:r>`)}</w:tc>`;
const wordTable = (rows: readonly (readonly (string | number)[])[]) =>
  docxOf(
    `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraph('<w:r><w:t>Ventes de la saison</w:t></w:r>')}<w:tbl>${rows
      .map((row) => `<w:tr>${row.map((one) => cell(String(one))).join('')}</w:tr>`)
      .join('')}</w:tbl></w:body></w:document>`,
  );

async function pdfTable(title: string, [header = [], ...rows]: readonly (readonly (string | number)[])[]) {
  const { bytes } = await render(
    {
      title,
      madeAt: '2026-05-01T00:00:00Z',
      notes: [],
      sources: [],
      sections: [
        {
          heading: title,
          blocks: [
            {
              kind: 'table',
              columns: header.map((heading) => ({ heading: String(heading) })),
              rows: rows.map((row) => row.map((text) => ({ text: String(text) }))),
            },
          ],
        },
      ],
    },
    'pdf',
  );
  return bytes;
}

const spoilt = (iso: string): string => iso.split('-').toReversed().join('.');
/** A bank statement: expenses are negative. */
const bank = [
  { on: '2025-01-04', party: 'Ostrava Energy', amount: -84.5 },
  { on: '2025-01-31', party: 'Pelikan AG', amount: 2400 },
  { on: '2025-11-02', party: 'Ostrava Energy', amount: -91.25 },
  { on: '2025-12-19', party: 'Market Hall', amount: -37.4 },
  { on: '2025-12-28', party: 'Pelikan AG', amount: 2450 },
];
const crew = [
  { sailor: 'Brandt', sex: 'f', rescued: 'yes', port: 7, nights: 12 },
  { sailor: 'Cole', sex: 'm', rescued: 'no', port: 8, nights: 9 },
  { sailor: 'Dahl', sex: 'f', rescued: 'no', port: 7, nights: 20 },
  { sailor: 'Eriksen', sex: 'm', rescued: 'yes', port: 9, nights: 4 },
  { sailor: 'Falk', sex: 'f', rescued: 'yes', port: 8, nights: 15 },
];
const bills = [
  { number: 'R-1', client: 'Elm', amount: 400, paid: 'yes' },
  { number: 'R-2', client: 'Fir', amount: 100, paid: 'no' },
  { number: 'R-3', client: 'Elm', amount: 100, paid: 'yes' },
  { number: 'R-4', client: 'Oak', amount: 200, paid: 'no' },
];
const ports = [
  { id: 7, town: 'Bergen' },
  { id: 8, town: 'Malmö' },
  { id: 9, town: 'Turku' },
];

/** Invoices with the day of their payment, and goods with a last row that only the sums tell to be a total. */
const ledger = many(30, (nth) => ({
  number: `L-${700 + nth}`,
  client: pick(['Quince', 'Medlar', 'Sloe', 'Damson']),
  due: day(1, 9),
  paid: nth % 3 === 0 ? '' : day(1, 12),
  net: cents(30, 900),
}));
const unpaid = ledger.filter(({ paid }) => paid === '');
const late = ledger.filter(({ paid, due }) => paid > due);
const goods = [
  { article: 'Hinge', origin: 'Germany', shelf: 'North', onHand: 40, reorder: 60, state: 'available' },
  { article: 'Latch', origin: 'Poland', shelf: 'South', onHand: 90, reorder: 20, state: 'available' },
  { article: 'Bracket', origin: 'Germany', shelf: 'North', onHand: 0, reorder: 15, state: 'ordered' },
  { article: 'Spring', origin: 'Italy', shelf: 'East', onHand: 25, reorder: 5, state: 'discontinued' },
];

const FILES = {
  ledger: async () =>
    Buffer.from(
      csv([['Invoice', 'Client', 'Due date', 'Paid on', 'Amount (EUR)'], ...ledger.map((one) => Object.values(one))]),
    ),
  goods: async () =>
    Buffer.from(
      csv([
        ['Article', 'Country', 'Shelf', 'On hand', 'Reorder level', 'Status'],
        ...goods.map((one) => Object.values(one)),
        ['Stocktaking', '', '', 155, 100, ''],
      ]),
    ),
  bank: async () => Buffer.from(csv([['Date', 'Party', 'Amount'], ...bank.map((one) => Object.values(one))], ',')),
  crew: async () =>
    Buffer.from(
      csv([['Sailor', 'Sex', 'Rescued', 'port_id', 'Nights'], ...crew.map((one) => Object.values(one))], ','),
    ),
  bills: async () =>
    Buffer.from(csv([['Number', 'Client', 'Amount', 'Paid'], ...bills.map((one) => Object.values(one))], ',')),
  ports: async () => Buffer.from(csv([['id', 'Town'], ...ports.map((one) => Object.values(one))], ',')),
  trips: async () =>
    Buffer.from(
      csv(
        [
          ['Datum', 'Fahrer', 'Ziel', 'Strecke (km)', 'Kosten (EUR)'],
          ...trips.map(({ on, driver, to, km, cost }) => [spoilt(on), driver, to, km, german(cost)]),
        ],
        ';',
      ),
    ),
  people: async () =>
    writeXlsx([
      {
        name: 'Payroll',
        rows: [
          ['Employee', 'Department', 'Start date', 'Salary (GBP)', 'Weekly hours'],
          ...people.map(({ name, department, since, salary, hours }) => [
            name,
            department,
            { type: 'date', value: since } as const,
            number(salary),
            number(hours),
          ]),
        ],
      },
    ]),
  sales: async () =>
    wordTable([
      ['Date', 'Magasin', 'Produit', 'Quantité', 'Montant (EUR)'],
      ...sales.map(({ on, shop, product, count, amount }) => [on, shop, product, count, amount.toFixed(2)]),
    ]),
  orders: () =>
    pdfTable('Pedidos', [
      ['Fecha', 'Cliente', 'Ciudad', 'Importe (EUR)'],
      ...orders.map(({ on, client, city, amount }) => [on, client, city, amount.toFixed(2)]),
    ]),
  deliveries: async () =>
    Buffer.from(
      csv([
        ['Delivery', 'Delivery date', 'Buyer ID', 'Article', 'Weight (kg)', 'Value (USD)'],
        ...deliveries.map(({ number: id, on, buyer, article, weight, value }) => [
          id,
          on,
          buyer.id,
          article,
          weight,
          value,
        ]),
      ]),
    ),
  buyers: async () =>
    Buffer.from(
      csv([['Buyer ID', 'Buyer name', 'Country'], ...buyers.map(({ id, name, country }) => [id, name, country])]),
    ),
};
const NAMES = {
  ledger: 'ledger.csv',
  goods: 'goods.csv',
  trips: 'fahrten.csv',
  people: 'payroll.xlsx',
  sales: 'ventes.docx',
  orders: 'pedidos.pdf',
  deliveries: 'deliveries.csv',
  buyers: 'buyers.csv',
  bank: 'konto.csv',
  bills: 'bills.csv',
  crew: 'crew.csv',
  ports: 'ports.csv',
};

const groups = <T>(all: readonly T[], key: (one: T) => string, value: (some: T[]) => number): string[] =>
  [...Map.groupBy(all, key)].map(([name, some]) => `${name}: ${textOfNumber(value(some))}`);
const textOfNumber = (value: number): string => String(Number(value.toFixed(2)));
const best = <T>(all: readonly T[], value: (one: T) => number): T[] => all.toSorted((a, b) => value(b) - value(a));
const share = (part: number, whole: number): string => `${textOfNumber((100 * part) / whole)} %`;
const topGroup = <T>(all: readonly T[], key: (one: T) => string, value: (some: T[]) => number): string =>
  best([...Map.groupBy(all, key)], ([, some]) => value(some))[0]?.[0] ?? '';

type Kind =
  | 'list'
  | 'count'
  | 'sum'
  | 'average'
  | 'extreme'
  | 'group'
  | 'share'
  | 'compare'
  | 'period'
  | 'join'
  | 'refuse';
type Question = [kind: Kind, files: (keyof typeof FILES)[], question: string, must: string[], mustNot?: string[]];

const of = (driver: string) => trips.filter((one) => one.driver === driver);
const inMonth = <T extends { on: string }>(all: readonly T[], month: string): T[] =>
  all.filter(({ on }) => on.slice(5, 7) === month);
const from = (country: string) => deliveries.filter(({ buyer }) => buyer.country === country);

const QUESTIONS: Question[] = [
  // Signs, yes and no, and keys of other names
  ['sum', ['bank'], 'How much was spent in total?', ['-213.15']],
  ['sum', ['bank'], 'How much money was received in December?', ['2450']],
  ['period', ['bank'], 'How much did we spend in the last quarter of 2025?', ['-128.65']],
  ['extreme', ['bank'], 'What was the largest expense?', ['Ostrava Energy', '-91.25'], ['2450']],
  ['sum', ['bank'], 'What is the sum of all payments from Pelikan AG?', ['4850']],
  ['sum', ['bank'], 'What is the sum of all payments to Ostrava Energy?', ['-175.75']],
  ['share', ['bills'], 'What share of the bills is paid?', ['50 %'], ['62.5']],
  ['count', ['bills'], 'How many bills exceed 150?', ['2']],
  ['count', ['crew'], 'How many were not rescued?', ['2']],
  ['share', ['crew'], 'What share of the women were rescued?', ['66.67 %']],
  ['compare', ['crew'], 'Do women have more nights than men?', ['15.67', '6.5']],
  ['join', ['crew', 'ports'], 'How many nights did sailors from Bergen have?', ['32']],
  ['refuse', ['crew', 'ports'], 'How many ports were rescued?', []],
  // Open amounts, exclusions, lists and columns beside columns
  ['sum', ['ledger'], 'How much is still outstanding?', [textOfNumber(sum(unpaid.map(({ net }) => net)))]],
  [
    'group',
    ['ledger'],
    'Which client owes us the most?',
    [
      topGroup(
        unpaid,
        ({ client }) => client,
        (some) => sum(some.map(({ net }) => net)),
      ),
    ],
  ],
  ['count', ['ledger'], 'How many invoices have not been paid yet?', [String(unpaid.length)]],
  ['count', ['ledger'], 'How many invoices were paid?', [String(ledger.length - unpaid.length)]],
  ['count', ['ledger'], 'Wie viele Rechnungen sind noch offen?', [String(unpaid.length)]],
  [
    'list',
    ['ledger'],
    'Which invoices were paid late?',
    late.map(({ number: id }) => id),
    ledger.filter((one) => !late.includes(one)).map(({ number: id }) => id),
  ],
  ['list', ['goods'], 'Which articles are below their reorder level?', ['Hinge', 'Bracket'], ['Latch', 'Spring']],
  ['list', ['goods'], 'Which articles are out of stock?', ['Bracket'], ['Hinge', 'Latch', 'Spring']],
  ['count', ['goods'], 'How many German articles are there?', ['2']],
  ['sum', ['goods'], 'How many pieces are on hand in total?', ['155'], ['310']],
  ['count', ['goods'], 'How many articles are there without discontinued ones?', ['3']],
  ['refuse', ['ledger'], 'Which invoices were disputed after March 2026?', []],
  ['refuse', ['goods', 'ledger'], 'How much do Germany clients owe?', []],
  [
    'count',
    ['deliveries'],
    'How many deliveries were not Rope?',
    [String(deliveries.filter(({ article }) => article !== 'Rope').length)],
  ],
  [
    'group',
    ['people'],
    'Which department has the highest average salary?',
    [
      topGroup(
        people,
        ({ department }) => department,
        (some) => mean(some.map(({ salary }) => salary)),
      ),
    ],
  ],
  [
    'list',
    ['people'],
    'List everyone who started after 2020.',
    people.filter(({ since }) => since >= '2021').map(({ name }) => name),
    people.filter(({ since }) => since < '2021').map(({ name }) => name),
  ],
  // German
  ['count', ['trips'], 'Wie viele Fahrten hatte Köhler?', [String(of('Köhler').length)]],
  [
    'sum',
    ['trips'],
    'Wie hoch sind die Kosten insgesamt für das Ziel Kiel?',
    [textOfNumber(sum(trips.filter((one) => one.to === 'Kiel').map(({ cost }) => cost)))],
  ],
  [
    'average',
    ['trips'],
    'Wie lang ist die durchschnittliche Strecke von Nowak?',
    [textOfNumber(mean(of('Nowak').map(({ km }) => km)))],
  ],
  [
    'group',
    ['trips'],
    'Summe der Kosten pro Fahrer',
    groups(
      trips,
      ({ driver }) => driver,
      (some) => sum(some.map(({ cost }) => cost)),
    ),
  ],
  [
    'extreme',
    ['trips'],
    'Welche Fahrt hatte die höchsten Kosten?',
    [german(best(trips, ({ cost }) => cost)[0]?.cost ?? 0)],
  ],
  [
    'extreme',
    ['trips'],
    'Welche Fahrt hatte die zweithöchsten Kosten?',
    [german(best(trips, ({ cost }) => cost)[1]?.cost ?? 0)],
  ],
  ['period', ['trips'], 'Wie viele Fahrten gab es im März 2026?', [String(inMonth(trips, '03').length)]],
  [
    'period',
    ['trips'],
    'Wie hoch sind die gesamten Kosten zwischen Februar und April 2026?',
    [textOfNumber(sum(trips.filter(({ on }) => on >= '2026-02' && on < '2026-05').map(({ cost }) => cost)))],
  ],
  [
    'share',
    ['trips'],
    'Welcher Anteil der Kosten entfällt auf Brandt?',
    [share(sum(of('Brandt').map(({ cost }) => cost)), sum(trips.map(({ cost }) => cost)))],
  ],
  [
    'compare',
    ['trips'],
    'Wer hatte mehr Kosten, Brandt oder Nowak?',
    [textOfNumber(sum(of('Brandt').map(({ cost }) => cost))), textOfNumber(sum(of('Nowak').map(({ cost }) => cost)))],
  ],
  ['count', ['trips'], 'Wie viele Fahrten waren über 250 km?', [String(trips.filter(({ km }) => km > 250).length)]],
  ['refuse', ['trips'], 'Wie viele Fahrten hatte Schröder?', []],
  // English
  [
    'count',
    ['people'],
    'How many employees work in Weaving?',
    [String(people.filter(({ department }) => department === 'Weaving').length)],
  ],
  [
    'average',
    ['people'],
    'What is the average salary in Dispatch?',
    [textOfNumber(mean(people.filter(({ department }) => department === 'Dispatch').map(({ salary }) => salary)))],
  ],
  [
    'group',
    ['people'],
    'What is the average salary per department?',
    groups(
      people,
      ({ department }) => department,
      (some) => mean(some.map(({ salary }) => salary)),
    ),
  ],
  [
    'group',
    ['people'],
    'How many employees are there in each department?',
    groups(
      people,
      ({ department }) => department,
      (some) => some.length,
    ),
  ],
  [
    'extreme',
    ['people'],
    'Who has the second highest salary?',
    [best(people, ({ salary }) => salary)[1]?.name ?? ''],
    [best(people, ({ salary }) => salary)[0]?.name ?? ''],
  ],
  [
    'extreme',
    ['people'],
    'Which employee has the third lowest salary?',
    [best(people, ({ salary }) => -salary)[2]?.name ?? ''],
    [best(people, ({ salary }) => -salary)[0]?.name ?? ''],
  ],
  [
    'extreme',
    ['people'],
    'Show the top 3 employees by salary',
    best(people, ({ salary }) => salary)
      .slice(0, 3)
      .map(({ name }) => name),
    [best(people, ({ salary }) => salary)[3]?.name ?? ''],
  ],
  [
    'share',
    ['people'],
    'What percentage of employees work in Dyeing?',
    [share(people.filter(({ department }) => department === 'Dyeing').length, people.length)],
  ],
  [
    'compare',
    ['people'],
    'What is the difference in total salary between Dyeing and Weaving?',
    [
      textOfNumber(
        Math.abs(
          sum(people.filter(({ department }) => department === 'Dyeing').map(({ salary }) => salary)) -
            sum(people.filter(({ department }) => department === 'Weaving').map(({ salary }) => salary)),
        ),
      ),
    ],
  ],
  [
    'period',
    ['people'],
    'How many employees started before 2018?',
    [String(people.filter(({ since }) => since < '2018').length)],
  ],
  [
    'sum',
    ['people'],
    'What is the total salary of employees with weekly hours over 30?',
    [textOfNumber(sum(people.filter(({ hours }) => hours > 30).map(({ salary }) => salary)))],
  ],
  ['refuse', ['people'], 'What is the average bonus in Dispatch?', []],
  ['refuse', ['people'], 'How many employees work in Weavng?', []],
  ['refuse', ['people'], 'How many employees in Weaving are women?', []],
  // French
  [
    'sum',
    ['sales'],
    'Quel est le montant total pour Nantes ?',
    [textOfNumber(sum(sales.filter(({ shop }) => shop === 'Nantes').map(({ amount }) => amount)))],
  ],
  [
    'count',
    ['sales'],
    'Combien de ventes de Miel y a-t-il ?',
    [String(sales.filter(({ product }) => product === 'Miel').length)],
  ],
  [
    'average',
    ['sales'],
    'Quelle est la quantité moyenne pour le produit Cidre ?',
    [textOfNumber(mean(sales.filter(({ product }) => product === 'Cidre').map(({ count }) => count)))],
  ],
  [
    'group',
    ['sales'],
    'Quel est le montant total par magasin ?',
    groups(
      sales,
      ({ shop }) => shop,
      (some) => sum(some.map(({ amount }) => amount)),
    ),
  ],
  [
    'extreme',
    ['sales'],
    'Quelle vente a le montant le plus élevé ?',
    [best(sales, ({ amount }) => amount)[0]?.amount.toFixed(2) ?? ''],
  ],
  [
    'period',
    ['sales'],
    'Quel est le montant total en juin 2026 ?',
    [textOfNumber(sum(inMonth(sales, '06').map(({ amount }) => amount)))],
  ],
  [
    'share',
    ['sales'],
    'Quel pourcentage du montant total vient de Brest ?',
    [
      share(
        sum(sales.filter(({ shop }) => shop === 'Brest').map(({ amount }) => amount)),
        sum(sales.map(({ amount }) => amount)),
      ),
    ],
  ],
  [
    'compare',
    ['sales'],
    'Quel magasin a le plus de quantité, Nantes ou Rennes ?',
    [
      textOfNumber(sum(sales.filter(({ shop }) => shop === 'Nantes').map(({ count }) => count))),
      textOfNumber(sum(sales.filter(({ shop }) => shop === 'Rennes').map(({ count }) => count))),
    ],
  ],
  ['refuse', ['sales'], 'Quel est le montant total pour Lorient ?', []],
  // Spanish
  [
    'sum',
    ['orders'],
    '¿Cuál es el importe total de Bodegas Rey?',
    [textOfNumber(sum(orders.filter(({ client }) => client === 'Bodegas Rey').map(({ amount }) => amount)))],
  ],
  ['count', ['orders'], '¿Cuántos pedidos hay en Vigo?', [String(orders.filter(({ city }) => city === 'Vigo').length)]],
  [
    'group',
    ['orders'],
    '¿Cuál es el importe total por cliente?',
    groups(
      orders,
      ({ client }) => client,
      (some) => sum(some.map(({ amount }) => amount)),
    ),
  ],
  [
    'average',
    ['orders'],
    '¿Cuál es el importe promedio en Cádiz?',
    [textOfNumber(mean(orders.filter(({ city }) => city === 'Cádiz').map(({ amount }) => amount)))],
  ],
  [
    'extreme',
    ['orders'],
    '¿Qué pedido tiene el importe más alto?',
    [best(orders, ({ amount }) => amount)[0]?.amount.toFixed(2) ?? ''],
  ],
  [
    'period',
    ['orders'],
    '¿Cuál es el importe total en febrero de 2026?',
    [textOfNumber(sum(inMonth(orders, '02').map(({ amount }) => amount)))],
  ],
  ['refuse', ['orders'], '¿Cuál es el importe total de Hotel Marítimo?', []],
  // Two files
  [
    'join',
    ['deliveries', 'buyers'],
    'What is the total value of deliveries to Norway?',
    [textOfNumber(sum(from('Norway').map(({ value }) => value)))],
  ],
  ['join', ['deliveries', 'buyers'], 'How many deliveries went to Ireland?', [String(from('Ireland').length)]],
  [
    'join',
    ['deliveries', 'buyers'],
    'What is the total value per country?',
    groups(
      deliveries,
      ({ buyer }) => buyer.country,
      (some) => sum(some.map(({ value }) => value)),
    ),
  ],
  [
    'join',
    ['deliveries', 'buyers'],
    'Which buyer name has the highest total value?',
    [
      topGroup(
        deliveries,
        ({ buyer }) => buyer.name,
        (some) => sum(some.map(({ value }) => value)),
      ),
    ],
  ],
  [
    'join',
    ['deliveries', 'buyers'],
    'How many kg of weight did Heath plc get?',
    [String(sum(deliveries.filter(({ buyer }) => buyer.name === 'Heath plc').map(({ weight }) => weight)))],
  ],
  [
    'count',
    ['deliveries'],
    'How many Rope or Anchor deliveries are there?',
    [String(deliveries.filter(({ article }) => /Rope|Anchor/.test(article)).length)],
  ],
  [
    'group',
    ['deliveries'],
    'Average value by month',
    groups(
      deliveries,
      ({ on }) => on.slice(0, 7),
      (some) => mean(some.map(({ value }) => value)),
    ),
  ],
  [
    'extreme',
    ['deliveries'],
    'Which article was delivered most often?',
    [
      topGroup(
        deliveries,
        ({ article }) => article,
        (some) => some.length,
      ),
    ],
  ],
  [
    'extreme',
    ['deliveries'],
    'Which article has the highest total weight?',
    [
      topGroup(
        deliveries,
        ({ article }) => article,
        (some) => sum(some.map(({ weight }) => weight)),
      ),
    ],
  ],
  [
    'extreme',
    ['deliveries'],
    'What are the top five deliveries by weight?',
    best(deliveries, ({ weight }) => weight)
      .slice(0, 5)
      .map(({ number: id }) => id),
  ],
  [
    'period',
    ['deliveries'],
    'What is the total value between 2026-03-10 and 2026-05-20?',
    [
      textOfNumber(
        sum(deliveries.filter(({ on }) => on >= '2026-03-10' && on <= '2026-05-20').map(({ value }) => value)),
      ),
    ],
  ],
  [
    'period',
    ['deliveries'],
    'How many Canvas deliveries were there after 15 June 2026?',
    [String(deliveries.filter(({ on, article }) => article === 'Canvas' && on > '2026-06-15').length)],
  ],
  [
    'share',
    ['deliveries'],
    'What share of the total value in March was Lantern?',
    [
      share(
        sum(
          inMonth(deliveries, '03')
            .filter(({ article }) => article === 'Lantern')
            .map(({ value }) => value),
        ),
        sum(inMonth(deliveries, '03').map(({ value }) => value)),
      ),
    ],
  ],
  [
    'compare',
    ['deliveries'],
    'How much more weight did Rope have than Canvas?',
    [
      textOfNumber(
        Math.abs(
          sum(deliveries.filter(({ article }) => article === 'Rope').map(({ weight }) => weight)) -
            sum(deliveries.filter(({ article }) => article === 'Canvas').map(({ weight }) => weight)),
        ),
      ),
    ],
  ],
  ['refuse', ['deliveries', 'buyers'], 'How many deliveries went to Iceland?', []],
  ['refuse', ['deliveries'], 'What is the total value of damaged Rope deliveries?', []],
  ['refuse', ['deliveries'], 'What is the median weight?', []],
];

/** As measured. A change that lowers it makes the model worse. */
const RIGHT = 86;
const WARNING = /No passage answers this clearly|do not seem to say anything|I cannot count or compare this/;
const bodyOf = (answer: string): string =>
  answer
    .replace(/\n\n\*\*Sources\*\*[\s\S]*$/, '')
    .replace(/\n\n_Written by[\s\S]*$/, '')
    .replaceAll('**', '')
    .replaceAll(/\\(.)/g, '$1');
const holds = (body: string, part: string): boolean =>
  new RegExp(
    `(?<![\\p{L}\\p{N}.,])${part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}]|[.,]\\d)`,
    'u',
  ).test(body);

it('answers figures as plain code does, warns where it cannot, and refuses conditions that no table has', async () => {
  const at = openAgent();
  const judged: { kind: Kind; question: string; answer: string; right: boolean; warned: boolean }[] = [];
  try {
    const ids = new Map<string, string>();
    for (const [name, bytes] of Object.entries(FILES))
      ids.set(name, await at.store(NAMES[name as keyof typeof NAMES], await bytes()));
    for (const [kind, files, question, must, mustNot = []] of QUESTIONS) {
      const fileIds = files.map((file) => ids.get(file) ?? '');
      const { text: answer = '' } = await at.run({ prompt: question, fileIds });
      const body = bodyOf(answer);
      const isFigure = answer.includes(' of the table');
      const warned = WARNING.test(answer);
      const right =
        kind === 'refuse'
          ? warned && !isFigure
          : isFigure && must.every((part) => holds(body, part)) && !mustNot.some((part) => holds(body, part));
      judged.push({ kind, question, answer, right, warned });
    }
  } finally {
    await at.close();
  }
  const misses = judged
    .filter(({ right }) => !right)
    .map(({ kind, question, answer }) => `[${kind}] ${question}\n${bodyOf(answer).slice(0, 400)}`);
  const kinds = [...Map.groupBy(judged, ({ kind }) => kind)].map(
    ([kind, all]) => `${kind} ${all.filter(({ right }) => right).length}/${all.length}`,
  );
  const warnedAndRight = judged.filter(({ kind, right, warned }) => kind !== 'refuse' && right && warned);
  const silent = judged.filter(({ right, warned }) => !right && !warned);
  const right = judged.length - misses.length;
  console.log(
    `right ${right}/${judged.length}: ${kinds.join(', ')}; right with a warning ${warnedAndRight.length}; wrong without a warning ${silent.length}`,
  );
  const told = misses.join('\n\n');
  expect(right, told).toBeGreaterThanOrEqual(RIGHT);
  expect(silent, told).toEqual([]);
  expect(warnedAndRight).toEqual([]);
}, 600_000);
