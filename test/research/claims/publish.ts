/** Runs the research agent over statements of known truth and reads what its public results publish of them. */

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { scriptedModel } from '../../agents/scripted-model.ts';
import { itemsOf, openResearch } from '../setup.ts';

/** A claim about the text of a document; the quote is the whole text unless another one is named. */
export type Stated = {
  claim: string;
  source: string;
  title: string;
  quote?: string;
  computed?: string[];
  /** What the writer makes of it when it is refused. */
  corrected?: string;
};

type SplitAnswer = { verdict: string; statements: { text: string; verdict: string }[] };

/** Answers one claim, which it sees with its quotes and nothing else. Undefined: it does not answer in the form it should. */
export type Verifier = (claim: string, quotes: string[]) => string | SplitAnswer | undefined;

type VerifierRequest = { text: string; quotes: { quote: string }[] }[];

/** The writer states the claim of each document that it is shown, with the whole source as quote; the verifier is another script. */
function scripted(all: readonly Stated[], verifier: Verifier): LanguageModelV4 {
  const answerTo = (rules: string, material: string): unknown => {
    if (rules.startsWith('You check sentences')) {
      const claims: VerifierRequest = JSON.parse(material.slice(material.indexOf('\n')));
      const verdicts = claims.map(({ text, quotes }, at) => {
        const said = verifier(
          text,
          quotes.map(({ quote }) => quote),
        );
        return said && { claim: at + 1, ...(typeof said === 'string' ? { verdict: said } : said) };
      });
      return verdicts.every((one) => one !== undefined) ? { verdicts } : 'I would rather not say.';
    }
    if (rules.startsWith('You correct sentences')) {
      const refused: VerifierRequest = JSON.parse(material.slice(material.indexOf('\n')));
      return {
        sentences: refused.flatMap(({ text }, at) => {
          const corrected = all.find(({ claim }) => claim === text)?.corrected;
          return corrected === undefined ? [] : [{ sentence: at + 1, text: corrected }];
        }),
      };
    }
    if (!rules.startsWith('You read documents')) return { queries: [], sections: [] };
    const documents: { document: number; text: string }[] = JSON.parse(material.slice(material.indexOf('\n')));
    const findings = documents.flatMap(({ document, text }) =>
      all
        .filter(({ source }) => source === text)
        .map(({ claim, source, quote = source, computed = [] }) => ({
          ...{ statement: claim, importance: 5, topics: [] },
          citations: [{ document, quote }],
          computed,
        })),
    );
    return { findings };
  };
  return {
    ...{ specificationVersion: 'v4', provider: 'scripted', modelId: 'm', supportedUrls: {} },
    async doGenerate(options) {
      const { finishReason, usage } = await scriptedModel().model.doGenerate(options);
      const [rules = '', ...texts] = textsOf(options);
      // An answer in another form is asked for once more, with messages behind the first ones.
      const material = texts.find((text) => /^The (?:claims|refused|documents)/.test(text)) ?? '';
      const said = answerTo(rules, material);
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      return { content: [{ type: 'text', text }], finishReason, usage, warnings: [] };
    },
    doStream() {
      throw new Error('Answers are read by doGenerate.');
    },
  };
}

const textsOf = ({ prompt }: LanguageModelV4CallOptions): string[] =>
  prompt.map(({ content }) =>
    typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );

/** The results of one research. */
export const AT_ONCE = 12;

/**
 * Which statements the public results publish, and who checked them. Each stands in a document of its own, and a finding
 * counts for all documents that it cites.
 */
export async function publish<S extends Stated>(
  all: readonly S[],
  verifier: Verifier,
  deliverables = ['bibliography'],
) {
  const published = new Map<S, string>();
  const texts: string[] = [];
  const quotes: string[] = [];
  const notes: string[] = [];
  const sections: string[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const part = all.slice(from, from + AT_ONCE);
    const titles = part.map(({ title }, at) => `Report of the ledger ${at}: ${title}`);
    const items = part.map(({ source: text }, at) => ({ title: titles[at] ?? '', text }));
    const at = openResearch(
      { news_feeds: { items: itemsOf('news_feeds', items), queries: 1 } },
      scripted(part, verifier),
    );
    const asks = { query: 'What does the report of the ledger say?', deliverables };
    const { results } = await at.run({ ...asks, depth: 'comprehensive', analysis_depth: 'expert' });
    at.close();
    notes.push(...results.notes);
    sections.push(...results.deliverables.flatMap(({ note }) => note ?? []));
    quotes.push(...results.findings.flatMap(({ text, is_quote: isQuote }) => (isQuote ? [text] : [])));
    const documents = new Map(results.documents.map(({ document, title }) => [document, title.trim()]));
    for (const finding of results.findings.filter(({ is_quote: isQuote }) => !isQuote)) {
      texts.push(finding.text);
      for (const { document } of finding.citations) {
        const cited = part[titles.findIndex((title) => title.trim() === documents.get(document))];
        if (!cited) throw new Error('A finding cites a document that was not there.');
        for (const statement of saidOf(finding.text, cited, part)) published.set(statement, finding.checked_by);
      }
    }
  }
  return { published, texts, quotes, notes, sections };
}

/** Two claims about one source are read from one document, as the other repeats it. */
function saidOf<S extends Stated>(text: string, cited: S, all: readonly S[]): S[] {
  const said = all.filter(({ source, claim }) => source === cited.source && claim === text);
  return said.length > 0 ? said : [cited];
}
