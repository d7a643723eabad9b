/** A report in the language of its question: titles, notes and warnings in results, Markdown, HTML and PDF. */
import { expect, it, onTestFinished } from 'vitest';
import { reportLanguageOf } from '../../../agents/research/report-language.ts';
import { PASSAGES_ONLY } from '../../../engines/models/keyless.ts';
import { render } from '../../engines/reports/setup.ts';
import { scriptedModel } from '../scripted-model.ts';
import { itemsOf, openResearch } from './setup.ts';

const ASKED = {
  de: {
    query: 'Wie haben sich die Hafengebühren in Eastmere entwickelt? Wer leitet das Ballett?',
    text: 'Die Hafengebühren in Eastmere stiegen 2026 um 6,5 Prozent.',
    says: [/Kein gelesenes Dokument beantwortet/, /kein sprachmodell/i],
    sections: ['Zusammenfassung', 'Wichtigste Ergebnisse', 'Grenzen und Widersprüche'],
    empty: 'Es gibt keine Zahlen, die sich vergleichen lassen.',
  },
  fr: {
    query: 'Comment les droits de port ont-ils évolué à Eastmere ? Qui dirige le ballet ?',
    text: 'Les droits de port à Eastmere ont augmenté de 6,5 pour cent en 2026.',
    says: [/Aucun document lu ne répond à/, /aucun modèle de langage/i],
    sections: ['Synthèse', 'Principaux résultats', 'Limites et contradictions'],
    empty: "Il n'y a pas de chiffres à comparer.",
  },
  es: {
    query: '¿Cómo cambiaron las tasas portuarias en Eastmere? ¿Quién dirige el ballet?',
    text: 'Las tasas portuarias en Eastmere aumentaron un 6,5 por ciento en 2026.',
    says: [/Ningún documento leído responde a/, /ningún modelo de lenguaje/i],
    sections: ['Resumen', 'Resultados principales', 'Límites y contradicciones'],
    empty: 'No hay cifras que comparar.',
  },
  it: {
    query: 'Come sono cambiate le tasse portuali a Eastmere? Chi dirige il balletto?',
    text: 'Le tasse portuali a Eastmere sono aumentate del 6,5 per cento nel 2026.',
    says: [/Nessun documento letto risponde a/, /nessun modello linguistico/i],
    sections: ['Sintesi', 'Risultati principali', 'Limiti e contraddizioni'],
    empty: 'Non ci sono cifre da confrontare.',
  },
};

/** What a report says in English, wherever it stands. */
const ENGLISH =
  /No document|Every sentence|was found|were found|There are no|was read|findings?\b|The documents|dated|Sources?\b(?! \()|Note:/;

it.each(Object.entries(ASKED))('writes nothing of its own in English in a report in %s', async (language, asked) => {
  const { query, text, says, sections, empty } = asked;
  // The model gives no usable answer, so that the report consists of quotes and the texts around them.
  const at = openResearch({ own: { items: itemsOf('own', [{ title: 'Eastmere', text }]) } }, scriptedModel().model);
  onTestFinished(() => at.close());
  const deliverables = ['executive_summary', 'key_findings', 'risks', 'charts', 'limits', 'bibliography'];
  const { results, report } = await at.run({ query, deliverables, output_format: 'markdown' });
  expect(results.deliverables.map(({ title }) => title)).toEqual(expect.arrayContaining(sections));
  const said = [
    ...results.notes,
    ...(report.warnings ?? []),
    ...results.deliverables.flatMap(({ note }) => note ?? []),
  ].join('\n');
  for (const one of says) expect(said).toMatch(one);
  expect(said).toContain(empty);
  expect(said).not.toMatch(ENGLISH);
  const [document] = at.rendered;
  if (!document) throw new Error('No report was rendered.');
  expect(document.language).toBe(language);
  for (const format of ['markdown', 'html'] as const) {
    const file = Buffer.from((await render(document, format)).bytes).toString();
    const visible = file.replace(/<style>[\s\S]*<\/style>|<[^>]+>/g, ' ');
    expect(visible, format).not.toMatch(language === 'fr' ? /Note:|sample data/ : /Note:|Sources\b|sample data/);
  }
});

it.each(Object.entries(ASKED))(
  'says in %s that there was no language model, and in English in its warnings',
  async (_, { query, text, says }) => {
    const at = openResearch({ own: { items: itemsOf('own', [{ title: 'Eastmere', text }]) } });
    onTestFinished(() => at.close());
    const { results, report } = await at.run({ query, deliverables: ['key_findings', 'risks'] });
    const [, named] = says;
    expect(results.notes.filter((note) => named?.test(note))).toHaveLength(1);
    expect(results.deliverables[1]?.note).toBe(results.notes.find((note) => named?.test(note)));
    expect([...results.notes, ...results.deliverables.flatMap(({ note }) => note ?? [])]).not.toContain(PASSAGES_ONLY);
    expect(report.warnings?.[0]).toBe(PASSAGES_ONLY);
  },
);

it.each([
  ['Was geschah in Bremen?', 'de'],
  ['Was the bridge in Bremen closed?', 'en'],
  ['Was kostet Strom in Bremen?', 'de'],
  ['Quanto costa il gas?', 'it'],
  ['¿Cuándo abre el museo?', 'es'],
  ['Bremen 2026', 'en'],
  ['How did the fees change? Answer in German.', 'de'],
  ['Wie hoch sind die Gebühren? Bitte auf Englisch antworten.', 'de'],
  ['Wie hoch sind die Gebühren? Bitte antworte auf Englisch.', 'en'],
  ['Which laws apply in German ports?', 'en'],
])('writes the report to `%s` in %s', (question, language) => {
  expect(reportLanguageOf(question)).toBe(language);
});
