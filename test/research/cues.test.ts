/** What a question in five languages asks for without naming it: its parts, who was affected, risks, and how to write. */
import { expect, it, onTestFinished } from 'vitest';
import { figuresIn } from '../../agents/research/claims/figures.ts';
import { unmentionedIn } from '../../agents/research/search.ts';
import type { Document } from '../../engines/documents/document.ts';
import { splitSentences } from '../../engines/retrieval/passages.ts';
import { storeText } from '../files/setup.ts';
import { openResearch } from './setup.ts';

async function research(query: string, text: string, deliverables = ['executive_summary', 'risks']) {
  const files: Record<string, Document> = {};
  const at = openResearch({}, undefined, {}, files);
  onTestFinished(() => at.close());
  const fileId = await storeText(at, at.address.organization, { fileName: 'own.md', text });
  files[fileId] = { kind: 'text', parts: [{ label: 'text', text }] };
  const { results, report } = await at.run({ query, sources: [], file_ids: [fileId], deliverables });
  const texts = results.deliverables.map(({ paragraphs }) => paragraphs.map((one) => one.text).join(' '));
  return { results, texts, parts: results.plan?.sub_questions ?? [], confidence: report.confidence };
}

const INCIDENT = `# Incident report

At 09:12 the database server ran out of disk space in Lindhaven. About 4,200 customers could not log in until noon.

The canteen served lunch outside on that day.`;

it('splits a question at a comma before `who`, and answers whom it concerned by people in numbers', async () => {
  const { parts, texts } = await research('What happened to the servers, who was affected', INCIDENT);
  expect(parts.map(({ text, status }) => [text, status])).toEqual([
    ['What happened to the servers', 'covered'],
    ['who was affected', 'covered'],
  ]);
  expect(texts[0]).toContain('ran out of disk space');
  expect(texts[0]).toContain('About 4,200 customers could not log in');
  expect(texts.join()).not.toContain('canteen');
});

it('does not split a clause about a person who has a name', async () => {
  const { parts } = await research('What did Mary Halden, who was affected, say about the lunch?', INCIDENT);
  expect(parts).toHaveLength(1);
});

it('finds the cause that a question asks for, which may have no other word of it', async () => {
  const { results } = await research(
    'What caused the checkout outage?',
    'The checkout failed on Monday. Sales were normal before. The reason was an expired certificate of the gateway.',
  );
  expect(results.findings.map(({ text }) => text)).toContain('The reason was an expired certificate of the gateway.');
});

it('knows the dative of a German plural', async () => {
  const { parts } = await research(
    'Was geschah mit den Servern?',
    'Der Server in Kassel fiel am Freitag für vier Stunden aus.',
  );
  expect(parts.map(({ status }) => status)).toEqual(['covered']);
});

it.each([
  [
    'What are the risks?',
    'Analysts warn that a shortage of steel could delay the lift.',
    'The lift has 45 seats in summer.',
  ],
  ['Welche Risiken gibt es?', 'Der Verband warnt vor einem Mangel an Stahl.', 'Der Lift hat im Sommer 45 Sitze.'],
  [
    'Quels sont les risques ?',
    'Une pénurie d’acier menace le chantier cette année.',
    'Le téléski compte 45 sièges en été.',
  ],
  [
    '¿Cuáles son los riesgos?',
    'La escasez de acero amenaza la obra de este año.',
    'El telesilla tiene 45 asientos en verano.',
  ],
  [
    'Quali sono i rischi?',
    'La carenza di acciaio minaccia il cantiere quest’anno.',
    'La seggiovia ha 45 posti in estate.',
  ],
])('answers `%s` by sentences that tell of risks in its language, and no others', async (query, risk, other) => {
  const { texts, parts } = await research(query, `${other}\n\n${risk}`);
  expect(texts.join('\n')).toContain(risk);
  expect(texts.join('\n')).not.toContain(other);
  expect(parts.map(({ status }) => status)).toEqual(['covered']);
});

it.each([
  ['How high are the fees? Answer in German.', 'How high are the fees'],
  ['Wie hoch sind die Gebühren? Bitte antworte kurz, als Tabelle.', 'Wie hoch sind die Gebühren'],
  ['Quels sont les frais ? Réponds en anglais.', 'Quels sont les frais'],
])('takes how to write in `%s` for no question', async (query, part) => {
  const { parts } = await research(query, 'The fees are 12 euros. Die Gebühren betragen 12 Euro.');
  expect(parts.map(({ text }) => text)).toEqual([part]);
});

it('keeps a scaled number and its unit in one sentence', () => {
  expect(splitSentences('Der Umsatz lag 2025 bei 3,4 Mio. Euro, nach 3 Mio. Euro. Die Kosten sanken.', 'en')).toEqual([
    'Der Umsatz lag 2025 bei 3,4 Mio. Euro, nach 3 Mio. Euro.',
    'Die Kosten sanken.',
  ]);
  expect(splitSentences('Der Umsatz stieg auf 3 Mio. Die Kosten sanken.', 'en')).toHaveLength(2);
});

it('takes a legal form for no name that a text about another company has', async () => {
  const { texts } = await research(
    'Wem gehört die Talbahn GmbH?',
    'Die Nordlicht GmbH hatte 2024 einen Umsatz von 3 Mio. Euro.',
  );
  expect(texts.join()).not.toContain('Nordlicht');
});

it('reads the unit behind an abbreviated scale', () => {
  expect(figuresIn('Der Umsatz lag bei 3,4 Mio. Euro.', 'de')).toMatchObject([{ values: [3.4e6], unit: 'EUR' }]);
});

it.each([
  ['Der Preis lag bei 31,4 Cent je Kilowattstunde.', 'de', 31.4, 'cents'],
  ['The flat has 82 square metres.', 'en', 82, 'm²'],
  ['La vivienda tiene 82 metros cuadrados.', 'es', 82, 'm²'],
  ['Die Wohnung hat 82 m².', 'de', 82, 'm²'],
  ['Le réservoir contient 500 litres.', 'fr', 500, 'litres'],
  ['Les prix ont augmenté de 5 pour cent.', 'fr', 5, '%'],
] as const)('reads the unit of %s', (text, language, value, unit) => {
  expect(figuresIn(text, language)).toMatchObject([{ values: [value], unit }]);
});

it('takes a year for no amount of what follows it', () => {
  const figures = figuresIn('The rent was 850 EUR in 2025 and 790 EUR in 2024; from 2000 to 2500 EUR is asked.', 'en');
  expect(figures.map(({ values, unit }) => [values[0], unit])).toEqual([
    [850, 'EUR'],
    [790, 'EUR'],
    [2000, 'EUR'],
    [2500, 'EUR'],
  ]);
});

it('names a word of a question as missing only if the documents have no part of it', async () => {
  const pace = async () => {};
  const text = '2026年10月，上海港的集装箱费用上涨了5%，达到每箱320元。';
  expect((await unmentionedIn('上海港的集装箱费用是多少？', [text], pace)).words).toEqual([]);
  expect((await unmentionedIn('东京湾游泳？', [text], pace)).words).toEqual(['东京湾游泳']);
});

it.each([
  ['How high was the rent in Ghent?', 'The rent in Ghent was 900 EUR.'],
  ['Wie hoch war die Miete in Gent?', 'Die Miete in Gent betrug 900 EUR.'],
])('asks no document for the measure of %s', async (question, text) => {
  expect((await unmentionedIn(question, [text], async () => {})).words).toEqual([]);
});

const BOARD = `Minutes of the board of Orla Foods Ltd, 14 May 2026

Revenue of Orla Foods fell by 6 per cent to 12.4 million euros. The lease may end with a notice of twelve months.`;

it.each([
  'When was Orla Foods founded?',
  'Where is the headquarters of Orla Foods?',
  'Who is the auditor of Orla Foods?',
  'Qui est le vérificateur de Orla Foods ?',
])('answers no question of whose subject the documents have only the name: %s', async (question) => {
  const { results, parts, confidence } = await research(question, BOARD);
  expect(parts).toMatchObject([{ status: 'open' }]);
  expect(results.deliverables[0]?.paragraphs).toEqual([]);
  expect(confidence?.analysisCompleteness).toBe(0);
});

it('names the part of a question of whose subject the documents have only the name', async () => {
  const { parts, results } = await research(
    'How far did the revenue of Orla Foods fall, and who is the auditor of Orla Foods?',
    BOARD,
  );
  expect(parts.map(({ status }) => status)).toEqual(['covered', 'open']);
  expect(results.notes).toContain('No document that was read answers who is the auditor of Orla Foods.');
});

it.each([
  ['What is the total revenue of Orla Foods?', BOARD],
  ['What is known about the revenue of Orla Foods?', BOARD],
  ['Which losses of revenue does Orla Foods face?', 'The loss of revenue of Orla Foods is 6 per cent.'],
  ['Was sagt der Vorstand zu den Netzkosten?', 'Der Vorstand warnt vor steigenden Netzkosten.'],
  ['A quels risques la société fait-elle face ?', 'La société craint le risque de la grêle.'],
  ['La farine a-t-elle été chère ?', 'La farine est chère.'],
  ['¿Cuántas personas emplea Orla Foods?', 'Orla Foods tiene 220 personas.'],
  ['Quanto è noto del mulino?', 'Il mulino macina 40 tonnellate.'],
])('does not look for words that only ask or help a verb: %s', async (question, text) => {
  expect((await unmentionedIn(question, [text], async () => {})).words).toEqual([]);
});
