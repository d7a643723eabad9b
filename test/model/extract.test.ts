/** The keyless model: what it answers, what it refuses to make up, and what no document can make it do. */
import { describe, expect, it, test } from 'vitest';
import { extract } from '../../engines/models/extractive/extract.ts';

const lease = `# Lease agreement

Between Brightwater Estates Ltd. (the "Landlord") and Dr. Maria Lopez (the "Tenant").

## 1. Rent

The monthly rent is EUR 1,250. It is payable in advance by the third working day.

## 4.2 Termination

Either party may end this lease by giving 90 days' written notice. They must send it by registered post.

The Tenant must:

- keep the garden tidy
- report leaks within two days

| Item | Price (EUR) |
|---|---|
| Oak desk | 129.00 |
| Chair | 49.50 |
`;
const attached = [{ source: 'lease.docx', place: 'page 1', text: lease }];

test('answers a paraphrased question with the answering sentence and its location', () => {
  const { text, cited } = extract('How can I cancel the contract?', attached);
  expect(text).toContain(
    "> Either party may end this lease by giving 90 days' written notice. They must send it by registered post. [1]",
  );
  expect(text).toContain('- [1] lease.docx, page 1');
  expect(cited[0]).toMatchObject({ source: 'lease.docx', place: 'page 1' });
});

test('answers a table row together with its header', () => {
  const { text } = extract('How much is the oak desk?', attached);
  expect(text).toContain('> | Item | Price (EUR) |');
  expect(text).toContain('> | Oak desk | 129.00 |');
  expect(text).not.toContain('Chair');
});

test('answers each of several questions under its own heading', () => {
  const { text } = extract('What is the rent? What does section 4.2 say?', attached);
  expect(text).toMatch(/## What is the rent\?\n\n> The monthly rent is EUR 1,250/);
  expect(text).toMatch(/## What does section 4\.2 say\?\n\n[^#]*90 days/);
});

test('says that nothing is attached, and what it is', () => {
  const { text, cited } = extract('What is the rent?', []);
  expect(text).toContain('No document that can be read is attached');
  expect(text).toContain('not a large language model');
  expect(cited).toEqual([]);
});

test('says that nothing attached is relevant, and quotes nothing', () => {
  const { text, cited } = extract('What is the capital of France?', attached);
  expect(text).toContain('do not seem to say anything');
  expect(cited).toEqual([]);
});

test('lists every item of the requested list, and nothing else', () => {
  const { text } = extract('List all duties of the tenant', attached);
  expect(text).toContain('> The Tenant must:\n>\n> - keep the garden tidy\n> - report leaks within two days [1]');
});

test('lists dates when the question is about dates', () => {
  const text = 'Offers are due on 4 May 2026. The hall is blue.\n\nWork begins on 1 June 2026.';
  const { text: answer } = extract('List all dates', [{ source: 'a.txt', place: '', text }]);
  expect(answer).toContain('4 May 2026');
  expect(answer).toContain('1 June 2026');
});

test('compares by quoting each side from the document with its name', () => {
  const other = { source: 'employment.docx', place: '', text: 'The notice period is two months for either party.' };
  const { text } = extract('Compare the notice period in the lease and in the employment contract', [
    ...attached,
    other,
  ]);
  expect(text).toMatch(/### lease\n\n[^#]*90 days/);
  expect(text).toMatch(/### employment contract\n\n[^#]*two months/);
});

test('summarizes each document under its name, in the order of its text', () => {
  const { text, cited } = extract('Summarise the documents', [
    ...attached,
    { source: 'memo.txt', place: 'lines 1-2', text: 'The bakery opens a second shop in June. It needs four people.' },
  ]);
  expect(text).toMatch(/### lease\.docx[\s\S]*Brightwater[\s\S]*90 days[\s\S]*### memo\.txt[\s\S]*second shop/);
  expect(cited.map(({ source }) => source)).toEqual(['lease.docx', 'memo.txt']);
});

test('finds a number or a name with digits only as a whole', () => {
  const text = 'Invoice 2024-1171 is paid.\n\nInvoice 2024-117 is open.\n\nInvoice 2024-11 is paid.';
  const { cited } = extract('Is invoice 2024-117 paid?', [{ source: 'list.txt', place: '', text }]);
  expect(cited[0]?.excerpt.split('\n')[0]).toBe('Invoice 2024-117 is open.');
});

test('adds the sentence that a pronoun refers to, and no other', () => {
  const valve = `The valve is made of brass, ${'and of brass '.repeat(30)}only.`;
  const text = `${valve} It costs 40 euros. ${'X'.repeat(400)}. ${valve} Repairs cost 9 dollars. ${'X'.repeat(400)}.`;
  const excerptFor = (question: string) =>
    extract(question, [{ source: 'parts.txt', place: '', text }]).cited[0]?.excerpt.split('\n')[0];
  expect(excerptFor('What is the cost in euros?')).toBe(`${valve} It costs 40 euros.`);
  expect(excerptFor('What is the cost in dollars?')).toBe('Repairs cost 9 dollars.');
});

test('quotes the text below a heading rather than the heading, also over a page end', () => {
  const { cited } = extract('What are the languages?', [
    { source: 'cv.pdf', place: 'page 1', text: 'Curriculum vitae\n\n## Languages' },
    { source: 'cv.pdf', place: 'page 2', text: '- Swedish\n- Dutch' },
  ]);
  expect(cited).toEqual([{ source: 'cv.pdf', place: 'page 2', excerpt: 'Swedish\nDutch' }]);
});

test('applies a heading to the next page, but not to another document', () => {
  const pages = (second: string) => [
    { source: 'prices.pdf', place: 'page 1', text: '## Freight to Norway\n\nA crate is 40 euros.' },
    { source: second, place: 'page 2', text: 'A pallet is 90 euros.\n\n## Freight to Chile\n\nA pallet is 300 euros.' },
  ];
  const first = (second: string) => extract('Freight of a pallet to Norway?', pages(second)).cited[0];
  expect(first('prices.pdf')?.excerpt.split('\n')[0]).toBe('A pallet is 90 euros.');
  expect(first('other.pdf')?.excerpt.split('\n')[0]).not.toBe('A pallet is 90 euros.');
});

test('applies the header of a table to its rows', () => {
  const table = (header: string, name: string) => `| Name | ${header} |\n|---|---|\n| ${name} | 40 |`;
  const text = `${table('Weight', 'Oak door')}\n\nText.\n\n${table('Width', 'Oak door')}`;
  const { text: answer } = extract('Width of the oak door', [{ source: 'a.md', place: '', text }]);
  expect(answer.indexOf('Width')).toBeGreaterThan(0);
  expect(answer.indexOf('Width')).toBeLessThan(`${answer}Weight`.indexOf('Weight'));
});

const customers = {
  source: 'customers.csv',
  place: 'rows 1-41',
  text: ['| Number | Name | Turnover |', '| --- | --- | --- |']
    .concat(Array.from({ length: 40 }, (_, nth) => `| ${1001 + nth} | Trader ${nth} | ${nth}.250,75 |`))
    .join('\n'),
};
const rates = { source: 'times.xlsx', place: 'sheet Rates', text: '| Person | Euros |\n|---|---|\n| Ngozi | 127.50 |' };
const rowsOf = (question: string) =>
  extract(question, [customers, rates])
    .text.split('\n')
    .filter((line) => /^> \| (?!Number|Person|---)/.test(line));

test('quotes as many rows as the question needs when only the header of a table has the word', () => {
  expect(rowsOf('turnover')).toHaveLength(5);
  expect(rowsOf('What is the turnover of each trader?')).toHaveLength(30);
  expect(rowsOf('What was the turnover of trader 7?')).toEqual(['> | 1008 | Trader 7 | 7.250,75 |']);
});

test('quotes the rows of a table when the name of its sheet or its file has the word', () => {
  expect(rowsOf('What are the rates?')).toEqual(['> | Ngozi | 127.50 |']);
  expect(rowsOf('List all customers')).toHaveLength(30);
  expect(rowsOf('What is the capital of France?')).toEqual([]);
});

test('answers in other languages by word beginnings and character pairs', () => {
  const german = {
    source: 'vertrag.txt',
    place: '',
    text: 'Der Garten ist schön.\n\nDie Kündigungsfrist beträgt drei Monate.',
  };
  expect(extract('Wie kann ich kündigen?', [german]).text).toContain('drei Monate');
  const chinese = { source: '合同.txt', place: '', text: '房东住在北京。\n\n合同终止须提前三十天通知。' };
  expect(extract('如何终止合同？', [chinese]).text).toContain('三十天');
});

test('gives the same answer to the same question', () => {
  const ask = () => extract('What is the rent? List all duties. Summarise.', attached);
  expect(ask()).toEqual(ask());
});

test('marks passages that are only related to the question as uncertain', () => {
  const { text } = extract('Which court decides a quarrel over the monthly parking of bicycles?', attached);
  expect(text).toMatch(/^No passage answers this clearly/);
});

describe('a figure that a report does not name', () => {
  const page = (n: number, text: string) => ({ source: 'report.pdf', place: `page ${n}`, text });
  const table = (rows: string[]) => ['|  | 2023 | 2022 |', '| --- | --- | --- |', ...rows].join('\n');
  const pages = [
    page(
      3,
      `Ratios such as the quick ratio are watched closely.\n\n${table(['| Total current assets of the group | 9 | 8 |'])}`,
    ),
    page(
      7,
      `Balance sheets\n\n${table([
        '| Inventories | 410 | 395 |',
        '| Total current assets | 1,310 | 1,220 |',
        '| Total assets | 4,000 | 3,900 |',
        '| Total current liabilities | 655 | 700 |',
      ])}`,
    ),
    page(9, `Inventories are valued at cost.\n\n${table(['| Inventories | 410 | 395 |'])}`),
  ];

  it('is answered with the rows of the statement that it is computed from', () => {
    const { text, cited } = extract('Has the quick ratio improved?', pages);
    expect(cited[0]?.place).toBe('page 7');
    for (const label of ['Inventories', 'Total current assets', 'Total current liabilities'])
      expect(text).toContain(`| ${label} |`);
    expect(text).not.toContain('| Total assets |');
  });

  it('prefers the row whose label has no other words', () => {
    const years = ['| Net sales | 730 | 710 | 690 | 650 | 640 |'];
    const { cited } = extract('What were net sales?', [
      page(1, table(['| Net sales growth in stores | 5 |'])),
      page(2, table(years)),
    ]);
    expect(cited[0]?.place).toBe('page 2');
  });

  it('prefers the statement to a note that has more of the labels, and quotes the rows below a label', () => {
    const rows = (labels: string[]) => table(labels.map((label) => `| ${label} | 10 | 20 |`));
    const { text, cited } = extract('Has the quick ratio improved?', [
      page(2, `A subsidiary\n\n${rows(['Inventories', 'Total current assets', 'Total current liabilities'])}`),
      page(
        3,
        `Consolidated balance sheets\n\nInventories, net\n\n${rows(['Supplies', 'Finished goods', 'Total current assets'])}\n\nLiabilities\n\n${rows(['Total current liabilities'])}`,
      ),
    ]);
    expect(cited[0]?.place).toBe('page 3');
    expect(text).toContain('| Finished goods |');
  });
});

describe('a long document', () => {
  const page = (n: number, text: string) => ({ source: 'report.pdf', place: `page ${n}`, text });

  it('is searched for both forms of a name that it defines', () => {
    const defined = page(1, 'We report the average revenue per user (“ARPU”) of each quarter.');
    const asked = (question: string, found: string, other: string) =>
      extract(question, [defined, page(2, other), page(3, found)]).cited.map(({ place }) => place);
    const [long, short] = ['In the north, the average revenue per user was 31.', 'In the north, ARPU was 31.'];
    expect(asked('How high was ARPU in the north?', long, 'In the north, the users were 31.')).toContain('page 3');
    expect(asked('What was the average revenue per user in the north?', short, 'The users paid.')).toContain('page 3');
  });

  it('is quoted rather than its table of contents', () => {
    const { cited } = extract('How risky is the harbour project?', [
      page(1, '- Risks of the harbour project . . . . . . . . . . . . 47'),
      page(47, 'The project has risks. A storm may damage the harbour before the wall is finished.'),
    ]);
    expect(cited[0]?.place).toBe('page 47');
  });

  it('prefers the page that also has the other words of the question', () => {
    const row = (casualties: number) => `| Casualties | ${casualties} |\n| --- | --- |\n| Casualties | ${casualties} |`;
    const { text } = extract('Casualties in Eastbridge?', [
      page(1, `Northport.\n\n${row(15)}`),
      page(2, `The river rose by night.\n\n${row(12)}\n\nThey came from the town of Eastbridge.`),
    ]);
    expect(text).toContain('| 12 |');
    expect(text.split('| 12 |')[0]).not.toContain('| 15 |');
  });
});

describe('a picture', () => {
  const sign = { source: 'sign.jpg', place: 'image', text: 'KEEP OUT\nThe quay is closed\nuntil 4 May' };

  it.each(['What does the sign in the picture say?', 'Which text is in the image?', 'Was steht auf dem Schild?'])(
    'is quoted whole when the request has no other words: %s',
    (question) => {
      expect(extract(question, [sign, ...attached]).text).toMatch(/^> KEEP OUT The quay is closed until 4 May \[1\]\n/);
    },
  );

  it('is searched like other text when the request has other words', () => {
    expect(extract('When does the picture say that the quay opens?', [sign]).text).toContain('until 4 May');
    const { text } = extract('What does the picture say about whales?', [sign]);
    expect(text).toMatch(/^No passage answers this clearly\.[\s\S]*until 4 May/);
  });
});

it('summarizes the document that the request names, with all requested sentences', () => {
  const minutes =
    '# Minutes of the committee\n\nThe pump was bought for 400 euros. The roof was not mended. The gate stays open.';
  const report = '# Report on energy\n\nThe site used 400 MWh. Costs fell by 3 percent. Gas rose.';
  const files = [
    { source: 'a.txt', place: '', text: report },
    { source: 'b.txt', place: '', text: minutes },
  ];
  const { text: one } = extract('Summarise the minutes.', files);
  expect(one).toContain('The pump was bought for 400 euros.');
  expect(one).not.toContain('400 MWh');
  const { text: all } = extract('Summarise the documents in three sentences.', files);
  expect(all.match(/^> /gm)?.length ?? 0).toBe(2);
  expect(all).toContain('This is “Report on energy” (a.txt)');
});

it('summarizes in as many sentences as the request says', () => {
  const said = [
    'The harbour was dredged for nine weeks by two Dutch ships.',
    'Cranes on the northern quay lift forty tonnes each.',
    'A ferry to the island leaves every morning at seven.',
    'Pilots board incoming vessels near the old lighthouse.',
    'Fishermen sell herring and cod beside the customs office.',
    'Storm barriers close whenever water rises by three metres.',
    'Customs officers search suspicious containers with scanners.',
    'Tugs burn methanol since the council banned heavy oil.',
  ];
  const text = said.join(' ');
  for (const [words, count] of [
    ['three sentences', 3],
    ['5 short sentences', 5],
  ] as const) {
    const { text: summary } = extract(`Summarise this in ${words}.`, [{ source: 'a.txt', place: '', text }]);
    expect(said.filter((sentence) => summary.includes(sentence))).toHaveLength(count);
  }
});

it('uses the files as the sides of a comparison that names only its topic', () => {
  const files = [
    {
      source: 'lease.txt',
      place: '',
      text: 'The notice period of the contract is three months. The rent is 900 euros.',
    },
    { source: 'loan.txt', place: '', text: 'The notice period of the contract is two weeks. Interest is 4 per cent.' },
  ];
  const { text } = extract('Compare how the two contracts deal with the notice period.', files);
  expect(text).toMatch(/### lease[^#]*three months[^#]*### loan[^#]*two weeks/);
});

describe('questions with several parts or a kind of answer', () => {
  const agenda = `# Special meeting of the library board

| Ash Grove Library | May 4, 2027 |
| --- | --- |
| 12 Elm Street | 6:15 p.m. |

The board will call on those who filled out a card before the meeting, and each speaker has three minutes.

Please switch off telephones during the meeting of the board.`;

  it('answers each part of a question, and reads the day of a document above its text', () => {
    const { text } = extract('When and where does the board meet?', [
      { source: 'agenda.pdf', place: 'page 1', text: agenda },
    ]);
    expect(text).toMatch(/May 4, 2027[\s\S]*12 Elm Street \| 6:15 p\.m\./);
  });

  it('does not put a row above another as its header if both have the same cell', () => {
    const menu = '| Monday: Soup: | M 1 | Dumplings |\n| --- | --- | --- |\n| Tuesday: Soup: | M 1 | Lentils |';
    const { text } = extract('What is there to eat on Tuesday?', [{ source: 'menu.rtf', place: '', text: menu }]);
    expect(text).toContain('Lentils');
    expect(text).not.toContain('Dumplings');
  });

  it('quotes the functions that source code defines', () => {
    const code = `"""Functions and classes of the shop."""\n\nimport os\nimport sys\nimport json\nimport time\nimport math\nimport re\n\n\ndef price(item):\n    """Return the price in pence."""\n    return 5`;
    const { text } = extract('Which function is defined here?', [{ source: 'shop.py', place: '', text: code }]);
    expect(text).toContain('def price(item)');
  });

  it('finds the number of an invoice that is written as its No, in a frame', () => {
    const receipt = `Corner Shop\n[Invoice No : #KX 4471\nSold by: Corner Shop, the quay\n${'Tea 2.50\n'.repeat(100)}Grand Total 250.00`;
    const { text } = extract('What is the invoice number and the grand total?', [
      { source: 'receipt.png', place: 'image', text: receipt },
    ]);
    expect(text).toContain('#KX 4471');
    expect(text).toContain('250.00');
  });

  it('quotes every condition that a sentence announces, and no date for a "when" about no date', () => {
    const rules = `HARBOUR RULES, 4 May 2027\n\n1. You may moor here, provided that you meet the following conditions:\n\n(a) You must pay the fee; and\n\n(b) You must show a flag; and\n\n(c) You must leave by noon.\n`;
    const { text } = extract('What must I do when I moor here?', [{ source: 'rules.txt', place: '', text: rules }]);
    expect(text).toMatch(/pay the fee[\s\S]*show a flag[\s\S]*leave by noon/);
    expect(text).not.toContain('4 May 2027');
  });

  it('says which part of a question it cannot answer', () => {
    const { text } = extract('What is the monthly rent of the harbour office and the colour?', [
      {
        source: 'lease.txt',
        place: '',
        text: 'The monthly rent of the harbour office is 5 euros. The lease ends in May.',
      },
    ]);
    expect(text).toContain('5 euros');
    expect(text).toContain('No passage answers this clearly: the colour?');
  });

  it('quotes a small picture whole, whichever of its lines has the word', () => {
    const badge = 'Dr Ada Quill\nInstitute for Rivers\nSpeaker\n\nHall 4, Wednesday 10:30';
    const { text } = extract('In which hall does the speaker talk?', [
      { source: 'badge.png', place: 'image', text: badge },
    ]);
    expect(text).toMatch(/Ada Quill.*Hall 4/);
  });

  it('compares two sides by the topic of the comparison, not by the words that name them', () => {
    const side = (source: string, right: string) => ({
      source,
      place: '',
      text: `This licence gives you rights. The two licences of the house are friends.\n\n${right}`,
    });
    const { text } = extract('Compare how the two licences deal with patents.', [
      side('one.txt', 'Each owner grants a patent right.'),
      side('two.txt', 'Patent suits end all rights.'),
    ]);
    expect(text).toMatch(/one[\s\S]*grants a patent right[\s\S]*two[\s\S]*Patent suits end/);
    expect(text).not.toContain('friends');
  });
});

it('leaves out who attended, before what was decided', () => {
  const text =
    '# Conseil du 12 mars\n\nPrésents : Mme Aubry, M. Kessler, M. Roux (arrivé à 19 h 20). Excusé : M. Petit.\n\n## Toiture\n\nLe devis est de 48 600 euros HT. Le conseil approuve par quatre voix. Les travaux commencent le 4 mai et durent six semaines.\n\n## Cantine\n\nUn tarif réduit pour les familles est demandé ; la décision est reportée.';
  const { text: summary } = extract('Résume ce texte en trois phrases.', [{ source: 'cr.md', place: '', text }]);
  expect(summary).not.toContain('Présents');
  expect(summary.match(/^> /gmu)).toHaveLength(2);
});

it('answers two sentences that ask for one summary once, beginning with what the document says of itself', () => {
  const guide = [
    '49',
    '# Pump manual',
    'This manual describes the installation of the pump.',
    ...Array.from(
      { length: 30 },
      (_, at) => `The valve of pump ${at} must open before the pump of valve ${at} starts, and the pump stops.`,
    ),
  ].join('\n\n');
  for (const question of ['What is this about? Keep it short.', '¿De qué va esta guía? Hazme un resumen breve.']) {
    const { text } = extract(question, [{ source: 'pump.md', place: '', text: guide }]);
    expect(text.match(/This is “/g)).toHaveLength(1);
    expect(text).toMatch(/^This is “Pump manual”[^>]*> This manual describes the installation of the pump\./);
  }
});

it('states in the first sentence of a summary what the document is', () => {
  const manual = `# Manual of the tide mill

## Milling

The mill grinds oats for two hours after each high tide of the month. Its wheel turns six times in a minute.

## Repairs

The miller greases the axle each Friday before the first tide of the day.`;
  const { text } = extract('Summarise this in two sentences.', [{ source: 'mill.docx', place: '', text: manual }]);
  expect(text).toMatch(/^This is “Manual of the tide mill” \(mill\.docx\), about: Milling; Repairs\.\n\n> /);
  expect(text.match(/^> /gm)).toHaveLength(1);
});

describe('the day until which something must be paid', () => {
  const PAPERS: [question: string, line: string][] = [
    ['By when must the invoice be paid?', 'Payment due: 14 March 2027'],
    ['When is payment due?', 'All sums are payable within 21 days of receipt.'],
    ['Bis wann ist zu zahlen?', 'Fällig am 14.03.2027'],
    ['Wann ist die Rechnung fällig?', 'Bitte überweisen Sie den Betrag bis zum 14. März 2027.'],
    ['Avant quelle date faut-il payer la facture ?', 'Échéance : 14/03/2027'],
    ['¿Hasta cuándo hay que pagar?', 'Vencimiento: 14/03/2027'],
    ['Entro quando bisogna pagare la fattura?', 'Scadenza: 14/03/2027'],
  ];
  const AROUND =
    'Corner Supplies Ltd\n\nInvoice 4471, Rechnung, facture, factura, fattura\n\nDate: 28/02/2027\n\nDelivered on 20/02/2027. Thank you for paying the last one so soon.\n\n';

  it.each(PAPERS)('is quoted alone: %s', (question, line) => {
    const { text } = extract(question, [
      { source: 'paper.txt', place: '', text: `${AROUND}${line}\n\nTotal 250.00\n` },
    ]);
    expect(text).toContain(line);
    expect(text).not.toMatch(/28\/02|20\/02|No passage/);
  });

  const INVOICE = 'Harbour Ltd\n\nInvoice 88\n\nAmount due: 540.00 EUR\nPayment due: 4 April 2026\n';
  it.each([
    'What amount is due on the invoice?',
    'What is the total amount due on the invoice?',
    'Welcher Betrag ist auf der Rechnung fällig?',
    "Quel est le montant de la facture à l'échéance ?",
    '¿Qué importe de la factura vence?',
    "Qual è l'importo della fattura alla scadenza?",
    'When is the invoice due and what is the amount?',
    'When is the invoice due and how much is it?',
  ])('is not the answer to a question about the amount: %s', (question) => {
    const paper = INVOICE.replace('Amount due', 'Amount due, Betrag, montant, importe, importo');
    expect(extract(question, [{ source: 'paper.txt', place: '', text: paper }]).text).toContain('540.00');
  });

  it('is quoted beside the answers to the other parts of the question', () => {
    const text = 'Harbour Ltd\n\nInvoice 88\n\nTotal: 540.00 EUR\n\nPayment due: 4 April 2026\n';
    const answer = extract('When is the invoice due and what is the total?', [
      { source: 'a.txt', place: '', text },
    ]).text;
    expect(answer).toContain('4 April 2026');
    expect(answer).toContain('540.00');
  });

  const DEBTS = [
    'Rent is due on 1 April 2026.',
    'The insurance is due on 2 April 2026.',
    'Tax is due on 3 April 2026.',
  ];
  const HARBOUR = 'The Harbour invoice is due on 9 April 2026.';
  it.each([
    ['of one file', [[...DEBTS, HARBOUR].join('\n\n')]],
    ['of several files', [...DEBTS.slice(0, 2), HARBOUR]],
  ])('belongs to the payment in question, among those %s', (_, texts) => {
    const sources = texts.map((text, at) => ({ source: `${at}.txt`, place: '', text }));
    const [, first = ''] = /^> (.*)$/m.exec(extract('When must the Harbour invoice be paid?', sources).text) ?? [];
    expect(first).toContain(HARBOUR);
  });

  it.each([
    'By what date must the total amount of the invoice be paid?',
    'Bis zu welchem Tag ist der Betrag zu zahlen?',
  ])('is the answer although the question has a word for the amount: %s', (question) => {
    const answer = extract(question, [{ source: 'paper.txt', place: '', text: INVOICE }]).text;
    expect(answer).toContain('4 April 2026');
  });

  it.each(['When was the invoice paid?', 'When was it delivered?', 'When is the report due?'])(
    'is not the answer to other questions: %s',
    (question) => {
      const text = `${AROUND}Fällig am 14.03.2027\n\nThe report is due on 1 May 2027. The invoice was paid on 3 March 2027.\n`;
      expect(extract(question, [{ source: 'paper.txt', place: '', text }]).text).toMatch(/20\/02|3 March|1 May/);
    },
  );
});

it.each([
  [
    'What is the phone number of the author?',
    'The author of the library answers all questions in the forum of 2027-03-01.',
  ],
  ['Quanto costa il server di prova?', 'Il server di prova sta in una stanza separata, con il server di posta.'],
])('says that no passage answers when none contains the requested value: %s', (question, line) => {
  const answer = (text: string) => extract(question, [{ source: 'note.txt', place: '', text }]).text;
  expect(answer(`${line}\n\nThere is more to say of it.`)).toMatch(/^No passage answers this clearly/);
  const long = answer(`${line}\n\n${line.replace('forum', 'room').repeat(9)}`);
  expect(long).toMatch(/^(?:No passage answers this clearly|The attached documents do not seem)/);
  expect(long.length).toBeLessThan(600);
});

it.each([
  ['Fasse das Dokument in zwei Sätzen zusammen.', 2],
  ['Résume le document en deux phrases.', 2],
  ['Riassumi il documento in tre frasi.', 3],
])('summarizes in other languages at the requested length: %s', (request, count) => {
  const tale =
    'The mill grinds barley for the harbour. Its wheel was built of oak by two carpenters. Millers slept above the stones in winter. Ships carried flour to the islands every week. A flood broke the dam in spring. The council paid for the repair with a loan.';
  const { text } = extract(request, [{ source: 'mill.txt', place: '', text: tale }]);
  expect(text).not.toContain('No passage');
  expect(text.match(/(?:barley|oak|stones|islands|dam|loan)\b/g)).toHaveLength(count);
});

it.each(['Can you sum up this paper in two sentences?', 'Please catch me up on this in two sentences.'])(
  'takes a request for a summary as one: %s',
  (request) => {
    const tale =
      'The mill grinds barley for the harbour. Its wheel was built of oak. Ships carry flour to the islands.';
    const { text } = extract(request, [{ source: 'mill.txt', place: '', text: tale }]);
    expect(text).not.toContain('No passage');
    expect(text).toContain('barley');
  },
);

it('reads each line of a receipt by itself, also a word that was misread', () => {
  const receipt =
    'Bauhof Nord\nWandfarbe weiss        49,98 A\nPinsel                  8,37 A\nBar   60,00\nRiickgeld   1,65';
  const ask = (question: string) => extract(question, [{ source: 'bon.pdf', place: 'page 1', text: receipt }]).text;
  expect(ask('Wie viel Rückgeld gab es?')).toMatch(/^> Riickgeld 1,65 \[1\]$/m);
  expect(ask('Was hat der Pinsel gekostet?')).toMatch(/^> Pinsel 8,37 A \[1\]$/m);
});

it('reads the parts of a receipt that belong together', () => {
  const ask = (question: string, text: string) =>
    extract(question, [{ source: 'bon.pdf', place: 'page 1', text }]).text;
  const two = 'Bauhof Nord\nPinsel 8,37 A\nAbdeckfolie 4,99 A\nPinsel gross 12,37 A\nSUMME 25,73';
  expect(ask('Was kosten Pinsel und Abdeckfolie?', two)).toMatch(/8,37[\s\S]*4,99|4,99[\s\S]*8,37/);
  const below = 'Bauhof Nord\nWandfarbe weiss\n2 x 24,99 49,98 A\nPinsel 8,37 A\nFolie 4,99 A\nSUMME 63,34';
  expect(ask('Was kostet die Wandfarbe?', below)).toContain('Wandfarbe weiss 2 x 24,99 49,98 A');
  const apart = 'Miete\n850,00\nNebenkosten\n120,00\nStrom\n60,00';
  expect(ask('Wie hoch sind die Nebenkosten?', apart)).toContain('120,00');
});

it('quotes a number that stands alone below what it answers', () => {
  const text = '# How many floors does the hotel have?\n\n7';
  expect(extract('How many floors does the hotel have?', [{ source: 'a.pdf', place: 'page 1', text }]).text).toContain(
    '7',
  );
});

it.each(['Does the sum add up?', 'Who will bring us up the pump?'])(
  'takes no other question for a summary: %s',
  (question) => {
    const text = 'The pump stands in the cellar. The sum of the bill is 12 euros.';
    expect(extract(question, [{ source: 'a.txt', place: '', text }]).text).not.toMatch(/^This is/);
  },
);

it('says that no passage answers a German question for a noun that no document has, and quotes no page number', () => {
  const prices = 'Gärtnerei Lindental, Seite\n\n1\n\nBestellungen nehmen wir bis Mittwoch an. Zahlung in 14 Tagen.';
  const ask = (question: string) => extract(question, [{ source: 'liste.pdf', place: 'page 1', text: prices }]).text;
  const answer = ask('Wie hoch sind die Versandkosten bei der Gärtnerei Lindental?');
  expect(answer).toMatch(/^(?:No passage answers this clearly|The attached documents do not seem)/);
  expect(answer).not.toMatch(/^> 1 /m);
});

it('takes no sentence for an answer because both say that there is something', () => {
  const text = 'Hunde sind nicht erlaubt. Die Schlüssel gibt es ab 15 Uhr bei Frau Petersen.';
  const answer = extract('Gibt es WLAN?', [{ source: 'brief.txt', place: '', text }]).text;
  expect(answer).toContain('do not seem to say anything');
});

it('ignores tables of contents and page numbers when it states what a document is about', () => {
  const manual = `# Tide mill\n\n## Index . . . . . . . . . . 32\n\n## 12\n\n## Milling\n\n${'The wheel turns the stones of the mill all night. '.repeat(3)}`;
  const { text } = extract('Summarise this.', [{ source: 'mill.md', place: '', text: manual }]);
  expect(text).toMatch(/about: Milling\./);
});

test('says that no passage answers what no document names', () => {
  const rules = 'The project leader may appoint delegates. The project leader has a casting vote in each ballot.';
  const ask = (question: string) => extract(question, [{ source: 'rules.txt', place: 'line 1', text: rules }]).text;
  expect(ask('What salary does the project leader get?')).toMatch(/^No passage answers this clearly/);
  expect(ask('Which vote does the project leader have?')).toMatch(/^> .*a casting vote/);
  const fees = 'Members pay 120 pounds a year. The club has 85 members in all.';
  const members = (text: string) =>
    extract('How many members does the club have?', [{ source: 'club.txt', place: '', text }]).text;
  expect(members(fees.slice(0, 31))).toMatch(/^No passage answers this clearly/);
  expect(members(fees)).toMatch(/^> .*85 members/);
  const rowing = 'Mere Canoe Club. The adult subscription is 165 pounds a year. Guests pay 6 pounds a day.';
  const club = (question: string) => extract(question, [{ source: 'club.txt', place: '', text: rowing }]).text;
  expect(club('What does the club charge for canoe lessons?')).toMatch(/^No passage answers this clearly/);
  expect(club('How much do you charge for guests?')).toMatch(/^> .*6 pounds/);
  const sick =
    'About 30 people fell ill in the 21st century. Later people stayed at home with the measles in the 21st year.';
  const count = extract('How many people caught the measles?', [
    { source: 'ill.txt', place: '', text: sick.slice(46) },
  ]);
  expect(count.text).toMatch(/^No passage answers this clearly/);
});

describe('what only looks like an answer', () => {
  const answer = (question: string, text: string) => extract(question, [{ source: 'note.txt', place: '', text }]).text;
  const CHARTER = `# The Technical Committee

The Technical Committee uses the following process to prepare a resolution for vote:

1. Any member of the Technical Committee may propose a resolution.

2. Any member of the Technical Committee may propose additional ballot options or withdraw an option that they proposed.

3. Any member of the Technical Committee may call for a vote on the ballot as it stands.

# Composition

It consists of up to 8 people.
`;

  it('counts no members by the numbers of items', () => {
    expect(answer('How many members may the Technical Committee have?', CHARTER)).toMatch(/^No passage answers this/);
  });

  it('quotes a count without what only stands near it', () => {
    const text = `${CHARTER}
The Technical Committee has up to 8 members. The chair of the Technical Committee is elected by its members.
`;
    const quoted = answer('How many members may the Technical Committee have?', text);
    expect(quoted).toMatch(/^> .*up to 8 members\./);
    expect(quoted).not.toContain('propose');
  });

  it('names the heading that has the number which is asked for', () => {
    const history = `# Changes

### 31 Jan 2006 Tern version 4.0.02

- First version released under the Open Font License
- Tables of ligatures

### 3 May 2005 Tern version 3.1

- New letters
`;
    const quoted = answer('Which version was the first to come out under the Open Font License?', history);
    expect(quoted).toMatch(/^> 31 Jan 2006 Tern version 4\.0\.02 … First version released/);
    expect(answer('Which letters are new?', history)).toMatch(/^> New letters/);
    const news = '# tern 2.1.1\n\n* Jenny Bryan is now the maintainer.\n\n# tern 2.1.0\n\n* Faster.\n* Smaller.\n';
    expect(answer('Which release of tern says that Jenny Bryan looks after it now?', news)).toMatch(
      /^> tern 2\.1\.1 … Jenny Bryan is now the maintainer/,
    );
  });

  it('quotes a sentence of a long item with those that refer to it', () => {
    const filler = 'Further tests of the fonts were made on each of the platforms, and their results are kept. '.repeat(
      4,
    );
    const text = `- **Removed the signatures of version 5.** These have been removed to follow best practice. ${filler}`;
    const quoted = answer('Why were the signatures removed in version 5?', text);
    expect(quoted).toMatch(/^> Removed the signatures of version 5\. These .* best practice\. \[1\]/);
    const both = `${text} The signatures of version 5 were removed by the board, since no tool reads them.`;
    expect(answer('Why were the signatures removed in version 5?', both)).toMatch(/^> [^\n]*no tool reads them/m);
  });

  it('names no person without a word for the role', () => {
    const text = `Falk Corp makes audio equipment in Lille. The goals were set by its management at the works in Lille.

You work on the master plan of Falk Corp with your directors. The plan leads to Debian.
`;
    const question = 'What is the name of the managing director of Falk Corp?';
    expect(answer(question, text)).toMatch(/^(?:No passage answers this|The attached documents do not seem)/);
    expect(answer(question, `${text}\nThe managing director of Falk Corp is Ann Lee.\n`)).toMatch(/^> .*Ann Lee/);
  });

  it('takes an amount of kilograms for no price', () => {
    const table = '| name | amount | unit |\n|---|---|---|\n| Methanol | 0.539 | kilogram |\n| Steam | 2 | kilogram |';
    expect(answer('What does a kilogram of methanol cost?', table)).not.toMatch(/^>/);
  });

  it('takes a number of other things for no price', () => {
    const text = 'Each of the 16 outputs of the Sequencer can repeat notes at any value that you select.';
    expect(answer('What is the price of the Sequencer?', text)).toMatch(/^No passage answers this clearly/);
    expect(answer('What is the price of the Sequencer?', 'The Sequencer has a price of 900.')).toMatch(
      /^> The Sequencer/,
    );
  });

  it('searches an option of a command as it is written', () => {
    const text = `The most useful option is -d, which does not install the downloaded files.

The option -f lets the command continue after a problem with an option of the command.
`;
    expect(answer('What does the option -d of the command do?', text)).toMatch(/^> The most useful option is -d/);
  });
});

describe('who wrote a document', () => {
  const answer = (question: string, text: string) => extract(question, [{ source: 'note.txt', place: '', text }]).text;
  const REPORT = `# Visit report

Berlin, 3 May 2025

By Anna Lindt and Omar Reyes

We visited the plant on Monday. Someone had written on the pump that it leaks.
`;

  it('is said above its text', () => {
    expect(answer('Who wrote this report?', REPORT)).toMatch(/^> By Anna Lindt and Omar Reyes \[1\]\n\n\*\*Sources/);
    const manual = 'Handbuch\n\nCopyright © 1998 Jason Marlow\n\nDiese Seiten beschreiben das Programm.\n';
    expect(answer('Wer hat dieses Handbuch geschrieben?', manual)).toMatch(/^> Copyright © 1998 Jason Marlow/);
  });

  it('says nothing of another text', () => {
    expect(answer('Who wrote the song about the pump?', REPORT)).not.toContain('Anna Lindt');
  });
});
