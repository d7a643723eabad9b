/** Runs the research agent over statements of known truth and reads what its public results publish of them. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { offlineModel } from '../../../engines/models/offline.ts';
import { itemsOf, openResearch } from '../opened.ts';

/** A claim about the text of a document; the quote is the whole text unless another one is named. */
export type Stated = { claim: string; source: string; title: string; quote?: string };

/** Answers one claim, which it sees with its quotes and nothing else. Undefined: it does not answer in the form it should. */
export type Verifier = (claim: string, quotes: string[]) => string | undefined;

type VerifierRequest = { text: string; quotes: { quote: string }[] }[];

/** The writer states the claim of each document that it is shown, with the whole source as quote; the verifier is another script. */
function scripted(all: readonly Stated[], verifier: Verifier): LanguageModelV4 {
  const offline = offlineModel();
  const answerTo = (rules: string, material: string): unknown => {
    if (rules.startsWith('You check sentences')) {
      const claims: VerifierRequest = JSON.parse(material.slice(material.indexOf('\n')));
      const verdicts = claims.map(({ text, quotes }, at) => ({
        claim: at + 1,
        verdict: verifier(
          text,
          quotes.map(({ quote }) => quote),
        ),
      }));
      return verdicts.every(({ verdict }) => verdict !== undefined) ? { verdicts } : 'I would rather not say.';
    }
    if (!rules.startsWith('You read documents')) return { queries: [], sections: [], sentences: [] };
    const documents: { document: number; text: string }[] = JSON.parse(material.slice(material.indexOf('\n')));
    const findings = documents.flatMap(({ document, text }) =>
      all
        .filter(({ source }) => source === text)
        .map(({ claim, source, quote = source }) => ({
          ...{ statement: claim, importance: 5, topics: [] },
          citations: [{ document, quote }],
        })),
    );
    return { findings };
  };
  return {
    ...{ specificationVersion: 'v4', provider: 'scripted', modelId: 'm', supportedUrls: {} },
    async doGenerate(options) {
      const { finishReason, usage } = await offline.doGenerate(options);
      const [rules = '', ...texts] = textsOf(options);
      // An answer in another form is asked for once more, with messages behind the first ones.
      const material = texts.find((text) => /^The (?:claims|documents)/.test(text)) ?? '';
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

/** Of one research. */
export const AT_ONCE = 12;

type Published = { claim: string; by: string };

/** Each statement is read from a document of its own; the text of what is published tells which of them passed. */
export async function publishedOf(all: readonly Stated[], verifier: Verifier, atOnce = AT_ONCE) {
  const published: Published[] = [];
  const quotes: string[] = [];
  for (let from = 0; from < all.length; from += atOnce) {
    const part = all.slice(from, from + atOnce);
    const items = part.map(({ source, title }, at) => ({
      title: `Report of the ledger ${at}: ${title}`,
      text: source,
    }));
    const at = openResearch(
      { news_feeds: { items: itemsOf('news_feeds', items), queries: 1 } },
      scripted(part, verifier),
    );
    const asks = { query: 'What does the report of the ledger say?', deliverables: ['bibliography'] };
    const { results } = await at.run({ ...asks, depth: 'comprehensive', analysis_depth: 'expert' });
    at.close();
    for (const { text, is_quote: isQuote, checked_by: by } of results.findings) {
      if (isQuote) quotes.push(text);
      else published.push({ claim: text, by });
    }
  }
  return { published, quotes };
}
