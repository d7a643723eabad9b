/** Writes an API as an OpenAPI 3.1 document. */

import type { Operation } from '../../functions/http/contract.ts';
import type { Route } from '../../functions/http/route.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { DAY_MS } from '../../shared/core/time.ts';
import { MAX_ATTEMPTS, WAITS_MS } from '../../shared/tasks/webhook-plan.ts';
import { answersOf, isRepeatable } from './answers.ts';
import type { ApiDocument } from './api-document.ts';
import { describeReferences, withTexts } from './descriptions.ts';
import { headers, parameters } from './headers.ts';
import { refTo, schemasOf } from './json-schema.ts';

const PLAN_DAYS = Math.floor(WAITS_MS.reduce((sum, wait) => sum + wait, 0) / DAY_MS);

type Json = Record<string, unknown>;
export type OpenApi = Json & { components: Json & { schemas: Json } };

export function openApi(api: ApiDocument): OpenApi {
  checkComplete(api);
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: packageJson.version,
      description: api.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{root}',
        description: 'The root URL of the API.',
        variables: { root: { default: api.server, description: 'Scheme, host and port, without a path.' } },
      },
    ],
    security: api.security.required,
    tags: Object.entries(api.tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(api),
    webhooks: webhookOf(api),
    components: {
      schemas: describedSchemas(api),
      parameters: { ...parameters, ...pathParameters(api) },
      headers,
      securitySchemes: api.security.schemes,
    },
  };
}

function describedSchemas({ answers, bodies, bodyTexts }: ApiDocument): Json {
  const shapes = Object.entries(schemasOf(bodies, 'output'));
  const described = shapes.map(([name, shape]) => [name, withTexts(name, shape, bodyTexts[name] ?? {})] as const);
  const schemas = { ...schemasOf(answers, 'output'), ...Object.fromEntries(described) };
  describeReferences(schemas);
  return schemas;
}

/** Every route needs a description, and every description a route. */
function checkComplete({ routes, operations }: ApiDocument): void {
  const routeNames = new Set(routes.map(nameOf));
  const lost = [...Object.keys(operations)].filter((name) => !routeNames.has(name));
  const silent = [...routeNames].filter((name) => !operations[name]);
  if (lost.length + silent.length > 0) {
    throw new Error(
      `functions/*/contract.ts: no route ${lost.join(', ') || '-'}; not told ${silent.join(', ') || '-'}`,
    );
  }
}

const nameOf = ({ method, path }: Pick<Route<never>, 'method' | 'path'>): string => `${method} ${path}`;

const NAME = /:(\w+)/g;

function pathsOf(api: ApiDocument): Json {
  const paths: Record<string, Json> = {};
  for (const route of api.routes) {
    const path = route.path.replaceAll(NAME, (_, name) => `{${api.parameterName(name)}}`);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(api, route) };
  }
  return paths;
}

function operationOf(api: ApiDocument, route: Route<never>): Json {
  const operation = api.operations[nameOf(route)] as Operation;
  const { limit } = route;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: route.about,
    description: descriptionOf(route),
    ...(route.caller === 'anyone' ? { security: [] } : {}),
    ...(limit ? { 'x-rate-limit': { minute: limit.minute, ...(limit.hour ? { hour: limit.hour } : {}) } } : {}),
    parameters: parametersOf(api, route, operation),
    ...(operation.body ? { requestBody: bodyOf(api, route, operation) } : {}),
    responses: answersOf(api, route, operation),
  };
}

function descriptionOf({ about, caller, limit }: Route<never>): string {
  const who = caller === 'anyone' ? 'Needs no credential.' : `Needs the role ${caller} or a higher one.`;
  const pace = limit?.hour ? `${limit.minute} a minute, ${limit.hour} an hour` : `${limit?.minute} a minute`;
  return limit ? `${about} ${who} At most ${pace} for each organization.` : `${about} ${who}`;
}

function parametersOf(api: ApiDocument, route: Route<never>, { query = {} }: Operation): Json[] {
  const names = Array.from(route.path.matchAll(NAME), ([, name = '']) => api.parameterName(name));
  return [
    ...names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...Object.entries(query).map(([name, { description, schema }]) => ({ name, in: 'query', description, schema })),
    ...(isRepeatable(route) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
    { $ref: '#/components/parameters/X-Request-Id' },
  ];
}

const pathParameters = ({ parameters }: ApiDocument): Json =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, { description, schema }]) => [
      name,
      { name, in: 'path', required: true, description, schema },
    ]),
  );

function bodyOf(
  { examples }: ApiDocument,
  route: Route<never>,
  { body = '', bodyNote: description, isBodyOptional }: Operation,
): Json {
  const good = examples.filter(
    ({ operation, request, status }) => operation === nameOf(route) && request !== undefined && status < 400,
  );
  const namedExamples = good.map(({ request }, at) => [`example${at + 1}`, { value: request }] as const);
  return {
    required: !isBodyOptional,
    ...(description ? { description } : {}),
    content: {
      'application/json': {
        schema: { $ref: refTo(body) },
        ...(namedExamples.length > 0 ? { examples: Object.fromEntries(namedExamples) } : {}),
      },
    },
  };
}

function webhookOf({ webhook: { name, summary, body, example } }: ApiDocument): Json {
  const signed = ['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature', 'X-Service-Signature'];
  return {
    [name]: {
      post: {
        operationId: name,
        summary,
        description:
          `Sent at least once, up to ${MAX_ATTEMPTS} times over ${PLAN_DAYS} days; the id is the same each time. ` +
          'Verify one of the two signatures over the raw body, and respond within 15 seconds.',
        security: [],
        parameters: [...signed, 'X-Service-Signature-Next'].map((header) => ({
          $ref: `#/components/parameters/${header}`,
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: refTo(body) }, example } },
        },
        responses: {
          '2XX': { description: 'The event was received; it is not sent again.' },
          '410': { description: 'The receiver does not want the event; it is not sent again.' },
          default: { description: 'The delivery failed; the event is sent again later.' },
        },
      },
    },
  };
}
