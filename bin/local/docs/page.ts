/** The reference page: both APIs on one page, made from their contracts. It is whole without its script, which only tries calls. */
import { type DocumentedField, type DocumentedSchema, fieldsOf, type Schemas, variantsOf } from './fields.ts';
import { escaped, pretty, prose } from './html.ts';

type Media = { schema: DocumentedSchema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: DocumentedSchema;
};
type Answer = { description: string; content?: Record<string, Media> };
type Operation = {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  security?: object[];
  parameters: Parameter[];
  requestBody?: { description?: string; content: Record<string, Media> };
  responses: Record<string, Answer>;
};
export type Contract = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas; parameters: Record<string, Parameter> };
};
export type DocumentedApi = { name: 'files' | 'agents'; contract: Contract };
type Shown = { face: DocumentedApi; method: string; path: string; operation: Operation };

export function referencePage(faces: DocumentedApi[]): string {
  const version = faces[0]?.contract.info.version ?? '';
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
${faces.map(menuOf).join('\n')}</nav>
<main id="main">
<header><h1>Reference</h1>
<p>Every call of both APIs. The forms call the product on this machine with its demo credentials.
The same as documents: <a href="/openapi.json">OpenAPI</a>, <a href="/llms.txt">llms.txt</a>.</p>
<p class="who"><label>Call as <select id="who"></select></label> <span id="state" role="status"></span></p></header>
${faces.map(faceOf).join('\n')}
</main>
</body>
</html>
`;
}

/** In the order of their tags. */
const operationsOf = (face: DocumentedApi): Shown[] =>
  face.contract.tags.flatMap(({ name }) => allOf(face).filter(({ operation }) => operation.tags[0] === name));

const allOf = (face: DocumentedApi): Shown[] =>
  Object.entries(face.contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ face, method: method.toUpperCase(), path, operation })),
  );

const anchorOf = ({ face, operation }: Shown): string => `${face.name}-${operation.operationId}`;

const badge = (method: string): string => `<b class="method ${method.toLowerCase()}">${method}</b>`;

function menuOf(face: DocumentedApi): string {
  const items = operationsOf(face).map(
    (shown) =>
      `<li><a href="#${anchorOf(shown)}">${badge(shown.method)} ${escaped(shown.path.replace('/api/v1', ''))}</a></li>`,
  );
  return `<h2>${escaped(face.contract.info.title.replace('Errand: ', ''))}</h2><ul>${items.join('')}</ul>`;
}

function faceOf(face: DocumentedApi): string {
  const { info, tags } = face.contract;
  const all = operationsOf(face);
  const groups = tags.map(({ name, description }) => {
    const own = all.filter(({ operation }) => operation.tags[0] === name);
    return `<h3>${escaped(name)}</h3><p>${prose(description)}</p>${own.map(sectionOf).join('\n')}`;
  });
  return `<h2>${escaped(info.title.replace('Errand: ', ''))}</h2><p>${prose(info.description)}</p>${groups.join('\n')}`;
}

function sectionOf(shown: Shown): string {
  const { method, path, operation } = shown;
  const anchor = anchorOf(shown);
  return `<section id="${anchor}" aria-labelledby="${anchor}-title">
<h4 id="${anchor}-title">${badge(method)} <code>${escaped(path)}</code></h4>
<p>${prose(operation.description)}</p>
${bodyOf(shown)}
<h5>Answers</h5>
${Object.entries(operation.responses)
  .map(([status, answer]) => answerOf(shown, status, answer))
  .join('\n')}
${formOf(shown)}
</section>`;
}

const mediaIn = (content: Record<string, Media> | undefined): Media | undefined => content?.['application/json'];

function bodyOf({ face, operation }: Shown): string {
  const media = mediaIn(operation.requestBody?.content);
  if (!media) return '';
  const note = operation.requestBody?.description;
  return `<h5>Body</h5>${note ? `<p>${prose(note)}</p>` : ''}${schemaOf(media.schema, face)}`;
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
    ({ name, type, isRequired, rules }) =>
      `<tr><th scope="row"><code>${escaped(name)}</code>${isRequired ? ' <em>required</em>' : ''}</th>` +
      `<td><code>${escaped(type)}</code>${rules === '' ? '' : ` ${escaped(rules)}`}</td></tr>`,
  );
  return `<div class="wide" tabindex="0"><table>${rows.join('')}</table></div>`;
}

function answerOf({ face }: Shown, status: string, { description, content }: Answer): string {
  const media = mediaIn(content);
  const kind = status.startsWith('2') ? 'good' : 'bad';
  const head = `<summary><b class="status ${kind}">${status}</b> ${prose(description)}</summary>`;
  const example = media?.example === undefined ? '' : `<pre tabindex="0">${pretty(media.example)}</pre>`;
  return `<details>${head}${media ? schemaOf(media.schema, face) : `<p>${content ? 'A page' : 'No body'}.</p>`}${example}</details>`;
}

function formOf(shown: Shown): string {
  const { face, method, path, operation } = shown;
  const anchor = anchorOf(shown);
  const parameters = operation.parameters
    .map((each) =>
      each.$ref ? (face.contract.components.parameters[each.$ref.split('/').at(-1) ?? ''] ?? each) : each,
    )
    .filter((each) => each.in !== 'header');
  const fields = parameters.map(
    ({ name, in: place, required }) =>
      `<label>${escaped(name)} <input name="${escaped(name)}" data-in="${place}"${required ? ' required' : ''} autocomplete="off"></label>`,
  );
  const media = mediaIn(operation.requestBody?.content);
  const example = media && Object.values(media.examples ?? {})[0]?.value;
  const body = media
    ? `<label>Body <textarea name="body" rows="8" spellcheck="false">${media.examples ? pretty(example) : '{}'}</textarea></label>`
    : '';
  const open = operation.security?.length === 0 ? ' data-open' : '';
  return `<form class="try" data-face="${face.name}" data-method="${method}" data-path="${escaped(path)}" data-id="${operation.operationId}"${open}>
<h5 id="${anchor}-try">Try it</h5>${fields.join('')}${body}<button>Send</button>
<div class="answer" role="status" aria-labelledby="${anchor}-try"></div></form>`;
}
