/**
 * What is known of each model: a kept catalogue (`npm run catalogue`), what it does not know of a family of models, and the
 * operator's entries over both. A model that is in none of them gets cautious values.
 */
import catalogue from './catalogue.json' with { type: 'json' };
import families from './families.json' with { type: 'json' };
import { byKey, firstRow, keysOf, openName } from './model-names.ts';
import { listedPrice, type Price } from './prices.ts';

export type ModelProfile = {
  /** The tokens of a request and its answer together. */
  context: number;
  /** The tokens of an answer, with those spent on reasoning. */
  output: number;
  /** A document up to so many tokens is shown whole for a record, and of a longer one what the fields are about. */
  whole?: number;
  vision: boolean;
  reasoning: boolean;
  /** Whether answers can be held to a schema: by the provider, else by the arguments of a tool, else only in words. */
  schema: SchemaMode;
  /** Whether the provider caches the beginning of a request up to a mark. */
  cachePoints?: boolean;
  /** More than the usual time to the first token. */
  firstTokenMs?: number;
  price?: Price;
};

export type SchemaMode = 'strict' | 'tool' | 'prompt';

const CAUTIOUS: ModelProfile = { context: 32_000, output: 8_000, vision: false, reasoning: false, schema: 'strict' };

/** The cautious output of a model that reasons: half of it may go into that. */
const REASONING_OUTPUT = 16_000;

type Facts = Pick<ModelProfile, 'context' | 'output'> & Abilities;
type Abilities = Pick<ModelProfile, 'vision' | 'reasoning' | 'cachePoints'>;

const abilitiesOf = (letters: string): Abilities => ({
  vision: letters.includes('v'),
  reasoning: letters.includes('r'),
  ...(letters.includes('c') ? { cachePoints: true } : {}),
});

const { bedrock, openai, anthropic, google, open } = catalogue;
const BEDROCK = byKey(bedrock);
const PROVIDERS = [openai, anthropic, google].map((rows) => byKey(rows));
const OPEN = byKey(open);

/** By the name of the model; the name of its connection may be any, but models of Bedrock are looked for there first. */
function listedFacts(connection: string, name: string): Partial<Facts> | undefined {
  const lists = connection === 'bedrock' ? [BEDROCK, ...PROVIDERS] : [...PROVIDERS, BEDROCK];
  const row = firstRow(lists, keysOf(name));
  if (row) return { context: row.context, output: row.output, ...abilitiesOf(row.abilities) };
  const abilities = firstRow([OPEN], keysOf(openName(name)));
  return abilities === undefined ? undefined : abilitiesOf(abilities);
}

type Family = Partial<Pick<ModelProfile, 'vision' | 'reasoning' | 'firstTokenMs'>> & { schema?: string };

/** What the catalogue does not know of a model by name, from the beginning of its name. */
function familyFacts(name: string): Partial<ModelProfile> {
  const names = keysOf(name);
  const isOf = (family: string) => keysOf(family).some((prefix) => names.some((key) => key.startsWith(prefix)));
  const facts = families.flatMap(({ families: of, ...fields }: Family & { families: string[] }) =>
    of.some(isOf) ? fields : [],
  );
  return Object.assign({}, ...facts);
}

/** The operator's own profiles, by the id of the model. */
export type OwnProfiles = Readonly<Record<string, Partial<ModelProfile>>>;

export function profileOf(id: string, ownProfiles: OwnProfiles = {}): ModelProfile {
  const slash = id.indexOf('/');
  const [connection, name] = [id.slice(0, slash), id.slice(slash + 1)];
  const price = listedPrice(id);
  const facts = {
    ...familyFacts(name),
    ...listedFacts(connection, name),
    ...(price ? { price } : {}),
    ...(Object.hasOwn(ownProfiles, id) ? ownProfiles[id] : undefined),
  };
  return { ...CAUTIOUS, ...(facts.reasoning ? { output: REASONING_OUTPUT } : {}), ...facts };
}

const WHOLE_TOKENS = 60_000;

/** How many tokens of a document a model is shown whole: never so many that its answer has no room. */
export const wholeTokens =
  (ownProfiles: OwnProfiles = {}) =>
  (id: string): number => {
    const { context, whole = WHOLE_TOKENS } = profileOf(id, ownProfiles);
    return Math.min(whole, Math.floor(context / 2));
  };
