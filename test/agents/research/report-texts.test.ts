/** The texts of reports: each language says all that English says. */
import { expect, it } from 'vitest';
import { LANGUAGES } from '../../../agents/research/report-language.ts';
import { textsIn } from '../../../agents/research/report-texts.ts';
import de from '../../../agents/research/texts/de.json' with { type: 'json' };
import en from '../../../agents/research/texts/en.json' with { type: 'json' };
import es from '../../../agents/research/texts/es.json' with { type: 'json' };
import fr from '../../../agents/research/texts/fr.json' with { type: 'json' };
import italian from '../../../agents/research/texts/it.json' with { type: 'json' };

/** The same keys, and instead of each text the placeholders in it. */
const placeholdersIn = (value: unknown): unknown =>
  typeof value === 'string'
    ? (value.match(/\{\w+\}/g) ?? []).sort()
    : Object.fromEntries(Object.entries(value ?? {}).map(([key, inner]) => [key, placeholdersIn(inner)]));

it.each(Object.entries({ de, fr, es, it: italian }))(
  'has each text of English in %s, with its placeholders',
  (_, file) => {
    expect(placeholdersIn(file)).toEqual(placeholdersIn(en));
  },
);

it.each(LANGUAGES)('leaves no placeholder of a text in %s unfilled', (language) => {
  const { pdfLacks, noReason, noRecordWithField, sampleFigures, ...texts } = textsIn(language);
  const said = Object.values(texts).map((text) =>
    typeof text === 'function'
      ? [1, 2].map((count) => (text as (...values: unknown[]) => string)(count, 2, 3, 4))
      : text,
  );
  expect(JSON.stringify([said, pdfLacks(['Thai', 'Lao'])])).not.toMatch(/\{\w+\}|"one":/);
});

it('writes counts in the singular and the plural of the language', () => {
  const { removed } = textsIn('es');
  expect(removed(1)).toMatch(/^1 afirmación se dejó fuera/);
  expect(removed(1_000_000)).toMatch(/^1000000 afirmaciones se dejaron fuera/);
});
