/** The documentation of the local product: the built guides, and the reference of an API as a page. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { builtFolder } from './built-folder.ts';
import type { DemoOrganization } from './demo-organizations.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/;
/** The paths of the site; none leads out of its folder. */
const SITE_PATH = /^\/docs\/((?:[a-z0-9][\w-]*\/)*)([a-z0-9][\w-]*\.(?:html|css|js|json|png|svg))?$/;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

export type DocsLocal = {
  /** The origin of each API: scheme, host and port. */
  roots: Record<'files' | 'agents', string>;
  organizations: Pick<DemoOrganization, 'name' | 'apiKey' | 'username' | 'password'>[];
};

type Answer = { status: number; type?: string | undefined; body: string | Uint8Array; location?: string };
const NOT_FOUND: Answer = { status: 404, body: '' };

const builtSite = builtFolder({
  name: 'docs',
  script: 'scripts/docs-site.ts',
  sources: [
    'docs/**/*',
    '*.md',
    'client/README.md',
    'assets/docs-site/*',
    'scripts/docs-site.ts',
    'scripts/docs-site/*',
    'engines/retrieval/{words.ts,stop-words.json}',
  ],
});

const fileAt = async (path: string): Promise<Answer> => ({
  status: 200,
  type: TYPES[extname(path)],
  body: await readFile(join(ROOT, path)),
});

async function siteFile(path: string): Promise<Answer> {
  const [, folder = '', name = 'index.html'] = SITE_PATH.exec(path) ?? [];
  try {
    return { status: 200, type: TYPES[extname(name)], body: await readFile(join(await builtSite(), folder, name)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOT_FOUND;
    throw error;
  }
}

async function tryPage(): Promise<Answer> {
  const contractOf = async (name: string): Promise<Contract> =>
    JSON.parse(await readFile(join(ROOT, `contracts/${name}.openapi.json`), 'utf8'));
  const [files, agents] = await Promise.all([contractOf('files-and-tasks'), contractOf('agents')]);
  const apis = [
    { name: 'files', contract: files },
    { name: 'agents', contract: agents },
  ] as const;
  return { status: 200, type: TYPES['.html'], body: referencePage([...apis]) };
}

export function docsServer(local: DocsLocal) {
  let page: Promise<Answer> | undefined;
  const pages: Record<string, () => Promise<Answer> | Answer> = {
    '/docs': () => ({ status: 302, body: '', location: '/docs/' }),
    '/docs/try': () => (page ??= tryPage()),
    '/docs/docs.css': () => fileAt('assets/docs/docs.css'),
    '/docs/docs.js': () => fileAt('assets/docs/docs.js'),
    '/docs/local.json': () => ({ status: 200, type: TYPES['.json'], body: JSON.stringify(local) }),
    '/llms.txt': () => fileAt('contracts/llms.txt'),
  };
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${local.roots.files} ${local.roots.agents}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  async function answerTo({ url = '', method, headers: { host = '' } }: IncomingMessage): Promise<Answer> {
    // Only these hosts: a foreign site that points its domain here (DNS rebinding) must not read the credentials.
    if (!LOOPBACK.test(host)) return { status: 403, body: '' };
    if (method !== 'GET' && method !== 'HEAD') return NOT_FOUND;
    const path = url.split('?')[0] ?? '';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page) return page();
    return SITE_PATH.test(path) ? siteFile(path) : NOT_FOUND;
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, type = 'text/plain; charset=utf-8', body, location } = await answerTo(request);
    response
      .writeHead(status, {
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        ...(location === undefined ? {} : { location }),
      })
      .end(body);
  };
}

/** A JSON Schema, as the reference shows it: fields with dotted names, types and constraints. */
export type DocumentedSchema = {
  $ref?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: DocumentedSchema[];
  oneOf?: DocumentedSchema[];
  items?: DocumentedSchema;
  properties?: Record<string, DocumentedSchema>;
  required?: string[];
  additionalProperties?: DocumentedSchema | boolean;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
};
type Schemas = Record<string, DocumentedSchema>;
type DocumentedField = { name: string; type: string; isRequired: boolean; rules: string; text: string };

const DEEPEST = 6;

function fieldsOf(schema: DocumentedSchema, schemas: Schemas, above = '', depth = 0): DocumentedField[] {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  if (depth > DEEPEST) return [];
  return Object.entries(properties).flatMap(([key, documented]) => {
    const name = above === '' ? key : `${above}.${key}`;
    const field = resolved(documented, schemas);
    const documentedField = {
      name,
      type: typeOf(field, schemas),
      isRequired: required.includes(key),
      rules: rulesOf(field),
      text: documented.description ?? field.description ?? '',
    };
    const inner = insideOf(field, schemas, name);
    return [documentedField, ...inner.flatMap(({ schema, below }) => fieldsOf(schema, schemas, below, depth + 1))];
  });
}

/** The variants of a schema, each with its name. */
function variantsOf(schema: DocumentedSchema, schemas: Schemas): [name: string, schema: DocumentedSchema][] {
  const options = resolved(schema, schemas);
  const variants = (options.oneOf ?? options.anyOf ?? []).filter(({ $ref }) => $ref);
  return variants.length > 0
    ? variants.map((variant) => [nameOf(variant), resolved(variant, schemas)])
    : [['', options]];
}

const nameOf = ({ $ref = '' }: DocumentedSchema): string => $ref.split('/').at(-1) ?? '';

const resolved = (schema: DocumentedSchema, schemas: Schemas): DocumentedSchema =>
  schema.$ref ? (schemas[nameOf(schema)] ?? {}) : schema;

/** The object schemas of a field or of its entries, with their names if there are several. */
function insideOf(field: DocumentedSchema, schemas: Schemas, name: string) {
  const list = field.items ? '[]' : '';
  const entry = field.items ? resolved(field.items, schemas) : field;
  const options = (entry.anyOf ?? entry.oneOf ?? [entry]).map((option) => ({
    option: nameOf(option),
    schema: resolved(option, schemas),
  }));
  const objects = options.filter(({ schema }) => schema.properties);
  return objects.map(({ option, schema }) => ({
    schema,
    below: objects.length > 1 ? `${name}${list} (${option})` : `${name}${list}`,
  }));
}

function typeOf(schema: DocumentedSchema, schemas: Schemas): string {
  const target = resolved(schema, schemas);
  if (target.const !== undefined) return JSON.stringify(target.const);
  if (target.enum) return target.enum.map((word) => JSON.stringify(word)).join(' | ');
  const options = target.anyOf ?? target.oneOf;
  if (options) return [...new Set(options.map((option) => optionOf(option, schemas)))].join(' | ');
  const type = [target.type ?? 'any'].flat().join(' | ');
  return target.items ? `${type} of ${typeOf(target.items, schemas)}` : type;
}

const optionOf = (option: DocumentedSchema, schemas: Schemas): string =>
  option.$ref && resolved(option, schemas).properties ? nameOf(option) : typeOf(option, schemas);

function rulesOf(schema: DocumentedSchema): string {
  const rules = [
    schema.format,
    between(schema.minimum, schema.maximum, ''),
    between(schema.minLength, schema.maxLength, 'characters'),
    between(schema.minItems, schema.maxItems, 'entries'),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ];
  return rules.filter((rule) => rule !== undefined && rule !== '').join(', ');
}

function between(min: number | undefined, max: number | undefined, of: string): string | undefined {
  const isBound = max !== undefined && max < Number.MAX_SAFE_INTEGER;
  if (!isBound) return min ? `at least ${min} ${of}`.trim() : undefined;
  return `${min ? `${min} to` : 'up to'} ${max.toLocaleString('en-US')} ${of}`.trim();
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML, so that no text of a contract becomes a tag. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Turns text between backticks into code elements. */
const prose = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const pretty = (value: unknown): string => escaped(JSON.stringify(value, null, 2));

type Media = { schema: DocumentedSchema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: DocumentedSchema;
};
type DocumentedAnswer = { description: string; content?: Record<string, Media> };
type Operation = {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  security?: object[];
  parameters: Parameter[];
  requestBody?: { description?: string; content: Record<string, Media> };
  responses: Record<string, DocumentedAnswer>;
};
export type Contract = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas; parameters: Record<string, Parameter> };
};
type DocumentedApi = { name: 'files' | 'agents'; contract: Contract };
type DocumentedOperation = { api: DocumentedApi; method: string; path: string; operation: Operation };

/** The reference page shows both APIs, built from their contracts. It works without its script, which only tries calls. */
export function referencePage(apis: DocumentedApi[]): string {
  const version = apis[0]?.contract.info.version ?? '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Errand ${escaped(version)}: reference</title>
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#main">To the calls</a>
<nav aria-label="Calls"><p class="name">Errand <small>${escaped(version)}</small></p>
<label>Find <input type="search" id="find" autocomplete="off" placeholder="upload, cancel ..."></label>
${apis.map(menuOf).join('\n')}</nav>
<main id="main">
<header><h1>Reference</h1>
<p>Every call of both APIs. The forms call the product on this machine with its demo credentials.
The same as documents: <a href="/openapi.json">OpenAPI</a>, <a href="/llms.txt">llms.txt</a>.</p>
<p class="who"><label>Call as <select id="who"></select></label> <span id="state" role="status"></span></p></header>
${apis.map(apiOf).join('\n')}
</main>
</body>
</html>
`;
}

/** The operations in the order of their tags. */
const operationsOf = (api: DocumentedApi): DocumentedOperation[] =>
  api.contract.tags.flatMap(({ name }) => allOf(api).filter(({ operation }) => operation.tags[0] === name));

const allOf = (api: DocumentedApi): DocumentedOperation[] =>
  Object.entries(api.contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ api, method: method.toUpperCase(), path, operation })),
  );

const anchorOf = ({ api, operation }: DocumentedOperation): string => `${api.name}-${operation.operationId}`;

const badge = (method: string): string => `<b class="method ${method.toLowerCase()}">${method}</b>`;

function menuOf(api: DocumentedApi): string {
  const items = operationsOf(api).map(
    (documented) =>
      `<li><a href="#${anchorOf(documented)}">${badge(documented.method)} ${escaped(documented.path.replace('/api/v1', ''))}</a></li>`,
  );
  return `<h2>${escaped(api.contract.info.title.replace('Errand: ', ''))}</h2><ul>${items.join('')}</ul>`;
}

function apiOf(api: DocumentedApi): string {
  const { info, tags } = api.contract;
  const operations = operationsOf(api);
  const groups = tags.map(({ name, description }) => {
    const ownOperations = operations.filter(({ operation }) => operation.tags[0] === name);
    return `<h3>${escaped(name)}</h3><p>${prose(description)}</p>${ownOperations.map(sectionOf).join('\n')}`;
  });
  return `<h2>${escaped(info.title.replace('Errand: ', ''))}</h2><p>${prose(info.description)}</p>${groups.join('\n')}`;
}

function sectionOf(documented: DocumentedOperation): string {
  const { method, path, operation } = documented;
  const anchor = anchorOf(documented);
  return `<section id="${anchor}" aria-labelledby="${anchor}-title">
<h4 id="${anchor}-title">${badge(method)} <code>${escaped(path)}</code></h4>
<p>${prose(operation.description)}</p>
${bodyOf(documented)}
<h5>Answers</h5>
${Object.entries(operation.responses)
  .map(([status, answer]) => answerOf(documented, status, answer))
  .join('\n')}
${formOf(documented)}
</section>`;
}

const mediaIn = (content: Record<string, Media> | undefined): Media | undefined => content?.['application/json'];

function bodyOf({ api, operation }: DocumentedOperation): string {
  const media = mediaIn(operation.requestBody?.content);
  if (!media) return '';
  const note = operation.requestBody?.description;
  return `<h5>Body</h5>${note ? `<p>${prose(note)}</p>` : ''}${schemaOf(media.schema, api)}`;
}

const schemaOf = (schema: DocumentedSchema, { contract: { components } }: DocumentedApi): string =>
  variantsOf(schema, components.schemas)
    .map(([name, variant]) => {
      const table = tableOf(fieldsOf(variant, components.schemas));
      return name === '' ? table : `<details><summary>${escaped(name)}</summary>${table}</details>`;
    })
    .join('');

function tableOf(fields: DocumentedField[]): string {
  if (fields.length === 0) return '<p>Any fields.</p>';
  const rows = fields.map(
    ({ name, type, isRequired, rules, text }) =>
      `<tr><th scope="row"><code>${escaped(name)}</code>${isRequired ? ' <em>required</em>' : ''}</th>` +
      `<td><code>${escaped(type)}</code>${rules === '' ? '' : ` ${escaped(rules)}`}<br>${prose(text)}</td></tr>`,
  );
  return `<div class="wide" tabindex="0"><table>${rows.join('')}</table></div>`;
}

function answerOf({ api }: DocumentedOperation, status: string, { description, content }: DocumentedAnswer): string {
  const media = mediaIn(content);
  const kind = status.startsWith('2') ? 'good' : 'bad';
  const head = `<summary><b class="status ${kind}">${status}</b> ${prose(description)}</summary>`;
  const example = media?.example === undefined ? '' : `<pre tabindex="0">${pretty(media.example)}</pre>`;
  return `<details>${head}${media ? schemaOf(media.schema, api) : `<p>${content ? 'A page' : 'No body'}.</p>`}${example}</details>`;
}

function formOf(documented: DocumentedOperation): string {
  const { api, method, path, operation } = documented;
  const anchor = anchorOf(documented);
  const parameters = operation.parameters
    .map((parameter) =>
      parameter.$ref
        ? (api.contract.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] ?? parameter)
        : parameter,
    )
    .filter((parameter) => parameter.in !== 'header');
  const fields = parameters.map(
    ({ name, in: place, required, description = '' }) =>
      `<label>${escaped(name)} <small>${prose(description)}</small> <input name="${escaped(name)}" data-in="${place}"${required ? ' required' : ''} autocomplete="off"></label>`,
  );
  const media = mediaIn(operation.requestBody?.content);
  const example = media && Object.values(media.examples ?? {})[0]?.value;
  const body = media
    ? `<label>Body <textarea name="body" rows="8" spellcheck="false">${media.examples ? pretty(example) : '{}'}</textarea></label>`
    : '';
  const open = operation.security?.length === 0 ? ' data-open' : '';
  return `<form class="try" data-face="${api.name}" data-method="${method}" data-path="${escaped(path)}" data-id="${operation.operationId}"${open}>
<h5 id="${anchor}-try">Try it</h5>${fields.join('')}${body}<button>Send</button>
<div class="answer" role="status" aria-labelledby="${anchor}-try"></div></form>`;
}
