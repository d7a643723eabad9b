/** The page that documents both APIs of the local product. */
import {
  type DocumentedField,
  type DocumentedSchema,
  documentedFields,
  type Schemas,
  variantsOf,
} from './documented-schema.ts';

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
      const table = tableOf(documentedFields(variant, components.schemas));
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
