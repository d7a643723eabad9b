/** Both APIs as a Postman collection: a folder for each, variables for addresses and credentials, a login that keeps its token. */

type Parameter = { $ref?: string; name: string; in: string; description?: string };
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: [string];
  security?: object[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value: unknown }> }> };
};
type Document = {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
};
type CollectionApi = { document: Document; root: string; token: string };

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

export const postmanCollection = (files: Document, agents: Document): object => ({
  info: { name: 'Errand', description: files.info.description, version: files.info.version, schema: SCHEMA },
  variable: [
    { key: 'files_root', value: 'http://127.0.0.1:4000' },
    { key: 'agents_root', value: 'http://127.0.0.1:4001' },
    { key: 'api_key', value: '' },
    { key: 'access_token', value: '' },
  ],
  item: [
    folderOf({ document: files, root: '{{files_root}}', token: '{{api_key}}' }),
    folderOf({ document: agents, root: '{{agents_root}}', token: '{{access_token}}' }),
  ],
});

function folderOf(api: CollectionApi): object {
  const { info, paths } = api.document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      item: itemOf(api, method, path, operation),
    })),
  );
  const tags = Map.groupBy(operations, ({ tag }) => tag);
  return {
    name: info.title.replace('Errand: ', ''),
    description: info.description,
    auth: { type: 'bearer', bearer: [{ key: 'token', value: api.token, type: 'string' }] },
    item: [...tags].map(([name, items]) => ({ name, item: items.map(({ item }) => item) })),
  };
}

const KEEP = [
  'const { access_token } = pm.response.json();',
  "if (access_token) pm.collectionVariables.set('access_token', access_token);",
];

function itemOf(api: CollectionApi, method: string, path: string, operation: Operation): object {
  const { security, requestBody } = operation;
  const example = Object.values(requestBody?.content['application/json']?.examples ?? {})[0]?.value ?? {};
  return {
    name: operation.summary,
    ...(operation.operationId === 'logIn'
      ? { event: [{ listen: 'test', script: { type: 'text/javascript', exec: KEEP } }] }
      : {}),
    request: {
      method: method.toUpperCase(),
      description: operation.description,
      ...(security?.length === 0 ? { auth: { type: 'noauth' } } : {}),
      header: requestBody ? [{ key: 'content-type', value: 'application/json' }] : [],
      ...(requestBody ? { body: { mode: 'raw', raw: JSON.stringify(example, null, 2) } } : {}),
      url: urlOf(api, path, operation),
    },
  };
}

function urlOf({ document, root }: CollectionApi, path: string, { parameters }: Operation): object {
  const resolved = parameters.map((parameter) =>
    parameter.$ref ? (document.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] ?? parameter) : parameter,
  );
  const parametersIn = (place: string) => resolved.filter((parameter) => parameter.in === place);
  const pathTemplate = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return {
    raw: root + pathTemplate,
    host: [root],
    path: pathTemplate.slice(1).split('/'),
    variable: parametersIn('path').map(({ name, description }) => ({ key: name, value: '', description })),
    query: parametersIn('query').map(({ name, description }) => ({
      key: name,
      value: '',
      description,
      disabled: true,
    })),
  };
}
