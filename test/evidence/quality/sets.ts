/** The sets of documents by strangers, and how each is asked of the product. `beside` is the best figure known for others. */
import type { Any } from '../../support/any.ts';
import type { Product } from './product.ts';

export type Item = { id: string; file: string; files?: string[]; question?: string; expect?: Record<string, unknown> };
type Ask = (product: Product, item: Item, paths: string[]) => Promise<object>;
/** What needs language is asked of a model alone: `needsModel`. */
type Set = { beside: string; ask: Ask; askBySchema?: Ask; needsModel?: true };

type Value = { rule: string; value: string; amount?: number; candidates?: Value[] };

/** The fields of a set by the named rules that answer them; the candidates follow the answer. */
const fieldsBy =
  (rules: Record<string, string>, lists: Record<string, string> = {}) =>
  async (product: Product, _: Item, [path = '']: string[]): Promise<object> => {
    const named = [...Object.values(rules), ...Object.values(lists)];
    const results: Any = await product.extract(path, { extraction_rules: named });
    const found: Value[] = results.results?.documents?.[0]?.values ?? [];
    const answered = ({ amount, value }: Value) => amount ?? value;
    const ofRule = (rule: string) => found.filter((one) => one.rule === rule);
    const answers = Object.entries(rules).flatMap(([field, rule]) =>
      ofRule(rule).map((one) => [field, [one, ...(one.candidates ?? [])].map(answered)]),
    );
    const all = Object.entries(lists).map(([field, rule]) => [field, ofRule(rule).map(answered)]);
    return Object.fromEntries([...answers, ...all]);
  };

const TYPES = {
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  number: { type: 'number' },
  texts: { type: 'array', items: { type: 'string' } },
} as const;

/** The fields of a set by a schema. `named` has the name of each field in it, as a caller would call it, and its type. */
const fieldsBySchema =
  (named: Record<string, [name: string, type: keyof typeof TYPES]>): Ask =>
  async (product, _, [path = '']) => {
    const properties = Object.fromEntries(Object.values(named).map(([name, type]) => [name, TYPES[type]]));
    const results: Any = await product.extract(path, { output_schema: { type: 'object', properties } });
    const found: Any[] = results.results?.records?.[0]?.fields ?? [];
    return Object.fromEntries(
      Object.entries(named).flatMap(([field, [name]]) => {
        const entries = found.filter(({ path }) => path.startsWith(`${name}.`)).map(({ value }) => value);
        if (TYPES[named[field]?.[1] ?? 'text'].type === 'array') return [[field, entries]];
        const one = found.find(({ path }) => path === name);
        return one && one.value !== null ? [[field, one.value]] : [];
      }),
    );
  };

/** Of the values given for a field, at least so many in a hundred have to be right: a field without enough evidence stays empty. */
export const LEAST_RIGHT: Readonly<Record<string, number>> = {
  total: 92,
  net: 92,
  tax: 92,
  date: 92,
  due: 92,
  effective_date: 92,
  number: 92,
  currency: 92,
  iban: 92,
  vat: 92,
  company: 85,
  address: 80,
};

const askProduct = (product: Product, { question = '' }: Item, paths: string[]): Promise<string> =>
  product.ask(question, paths);

export const SETS: Record<string, Set> = {
  receipts: {
    beside: 'LayoutLM-base, trained on the set, on given OCR text: F1 94.4 (published)',
    ask: fieldsBy({ total: 'total', date: 'issue_date', company: 'seller', address: 'seller_address' }),
    askBySchema: fieldsBySchema({
      total: ['total', 'number'],
      date: ['date', 'date'],
      company: ['company', 'text'],
      address: ['address', 'text'],
    }),
  },
  contracts: {
    beside: 'the best model trained on the set: F1 81.8 over its four fields (published)',
    needsModel: true,
    ask: fieldsBySchema({
      effective_date: ['effective_date', 'date'],
      jurisdiction: ['governing_law', 'text'],
      term: ['term', 'text'],
      parties: ['parties', 'texts'],
    }),
  },
  invoices: {
    beside: 'invoice2data needs a template for each issuer',
    ask: fieldsBy(
      {
        number: 'invoice_number',
        date: 'issue_date',
        due: 'due_date',
        total: 'total',
        net: 'subtotal',
        tax: 'tax',
        currency: 'currency',
      },
      { iban: 'ibans', vat: 'vat_numbers' },
    ),
    askBySchema: fieldsBySchema({
      number: ['invoice_number', 'text'],
      date: ['invoice_date', 'date'],
      due: ['due_date', 'date'],
      total: ['total', 'number'],
      net: ['net', 'number'],
      tax: ['tax', 'number'],
      currency: ['currency', 'text'],
      iban: ['iban', 'text'],
      vat: ['vat_number', 'text'],
    }),
  },
  pages: {
    beside:
      'readability.js 0.947, trafilatura 0.958 on the whole set (published); Readability under jsdom 0.954 and under linkedom 0.954 (measured)',
    async ask(product, _, [path = '']) {
      const read: Any = await product.text(path, 'view=main');
      return { text: (read.pages ?? []).map(({ text }: Any) => text).join('\n') };
    },
  },
  filings: {
    beside: 'no published figure for this choice of questions',
    needsModel: true,
    async ask(product, item, paths) {
      const answer = await askProduct(product, item, paths);
      return { answer, pages: [...answer.matchAll(/\bpage (\d+)/gi)].map(([, page]) => Number(page)) };
    },
  },
  tables: {
    beside: 'pdfplumber 0.11.4 `extract_tables`: documents whole 4/10, rows 51 %, cells 52 % (measured)',
    async ask(product, _, [path = '']) {
      const read: Any = await product.text(path, '');
      return { tables: (read.tables ?? []).map((one: Any) => ({ ...one, row_count: one.rowCount })) };
    },
  },
  spreadsheets: {
    beside:
      'SheetJS 0.20.3 `sheet_to_json`, each sheet by its first row: headers 40 %, row counts 33 %, cells 48 % (measured)',
    async ask(product, _, [path = '']) {
      // The labels are about one table of the first sheet, and the scorer joins tables with the same header.
      const read: Any = await product.text(path, 'sheets=1');
      const tables = (read.sheets ?? []).flatMap(({ tables }: Any) => tables);
      return {
        tables: tables.map(({ header, rows, rowCount }: Any) => ({
          header,
          rows: rows.map((row: Any[]) => row.map(({ text, value }) => value ?? text)),
          row_count: rowCount,
        })),
      };
    },
  },
  questions: {
    beside: 'none published',
    needsModel: true,
    ask: async (product, item, paths) => ({ answer: await askProduct(product, item, paths) }),
  },
};
