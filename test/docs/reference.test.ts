/** The reference pages name every route, rate limit, error code and setting of the product. */

import { expect, it } from 'vitest';
import agentsContract from '../../contracts/agents.openapi.json' with { type: 'json' };
import filesAndTasksContract from '../../contracts/files-and-tasks.openapi.json' with { type: 'json' };
import { agents } from '../../functions/agents/api.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/api.ts';
import { newTaskTexts } from '../../functions/files-and-tasks/tasks.ts';
import type { Route } from '../../functions/http/route.ts';
import {
  modelConfig,
  modelKeyConfig,
  modelsConfig,
  modelTableConfig,
  searchConfig,
  seeingConfig,
} from '../../shared/accounts/model-settings.ts';
import { SEARCH_PRESETS } from '../../shared/accounts/search-provider.ts';
import { LABELLED_NAMES, RULE_NAMES } from '../../shared/agents/rule-names.ts';
import { badCredentialsConfig, documentCpuConfig, localConfig } from '../../shared/core/config.ts';
import { DAY_MS } from '../../shared/core/time.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import { localSenderConfig } from '../../shared/mail/mail-settings.ts';
import { MAX_ATTEMPTS, WAITS_MS } from '../../shared/tasks/webhook-plan.ts';
import { pages, textOf } from './pages.ts';

const VERSION = '/api/v1';
/** Links to contracts and the links in e-mails are not calls. */
const NOT_LISTED = /^\/(openapi\.json|asyncapi\.json|unsubscribe\/)/;

const apis = [
  { page: 'docs/reference/files-and-tasks-api.md', routes: filesAndTasks.routes as readonly Route<never>[] },
  { page: 'docs/reference/agents-api.md', routes: agents.routes as readonly Route<never>[] },
];

const snakeCase = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => `{${name.replaceAll(/[A-Z]/g, (each) => `_${each.toLowerCase()}`)}}`);

it.each(apis)('$page lists every route', ({ page, routes }) => {
  const text = textOf(page);
  const isListed = ({ method, path }: Route<never>): boolean =>
    [path, snakeCase(path)].some((shown) => text.includes(`${method} ${shown.replace(VERSION, '')}\``));
  const missing = routes.filter(({ path }) => !NOT_LISTED.test(path)).filter((route) => !isListed(route));
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

const rows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

/** The names of all fields that a schema of a contract has, at any depth. */
function fieldsIn(schema: unknown, schemas: Record<string, unknown>): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => fieldsIn(one, schemas));
  if (typeof schema !== 'object' || schema === null) return [];
  const { $ref, properties = {}, ...others } = schema as { $ref?: string; properties?: Record<string, unknown> };
  const named = $ref === undefined ? [] : fieldsIn(schemas[$ref.split('/').at(-1) ?? ''], schemas);
  const own = Object.entries(properties).flatMap(([name, inside]) => [name, ...fieldsIn(inside, schemas)]);
  return [...named, ...own, ...Object.values(others).flatMap((inside) => fieldsIn(inside, schemas))];
}

/** The fields that a text names: paths such as `input.prompt`, and the keys of its examples. */
const namedIn = (text: string): string[] => [
  ...[...text.matchAll(/`([\w.]+)(?:\[\])?`/g)].flatMap(([, path = '']) => path.split('.')),
  ...[...text.matchAll(/(?:^|[\s{,"'])(\w+)\\?["']?:/gm)].map(([, key = '']) => key),
];

it('names every field of a request in a reference page or a guide', () => {
  const named = new Set(pages('docs/reference/*.md', 'docs/guides/*.md').flatMap((page) => namedIn(textOf(page))));
  for (const contract of [filesAndTasksContract, agentsContract]) {
    const operations: { requestBody?: unknown }[] = Object.values(contract.paths).flatMap((path) =>
      Object.values(path),
    );
    const bodies = operations.map(({ requestBody }) => requestBody);
    const fields = fieldsIn(bodies, contract.components.schemas);
    expect(fields.length).toBeGreaterThan(20);
    expect(fields.filter((field) => !named.has(field))).toEqual([]);
  }
});

it('lists every field of a chat task, with its parent objects left out', () => {
  const paths = Object.keys(newTaskTexts());
  const fields = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
  const [, table = ''] = textOf('docs/reference/files-and-tasks-api.md').split(/^## Task fields$/m);
  const listed = rows(table.split(/^## /m)[0] ?? '').flatMap(([first = '']) => /^`([\w.]+)`$/.exec(first)?.[1] ?? []);
  expect(listed.toSorted()).toEqual(fields.toSorted());
});

it('lists every named rule of extraction in its guide', () => {
  const listed = new Set(rows(textOf('docs/guides/extraction.md')).map(([first = '']) => first.replaceAll('`', '')));
  expect([...RULE_NAMES, ...LABELLED_NAMES].filter((name) => !listed.has(name))).toEqual([]);
});

it('lists every preset of web search in its guide', () => {
  const listed = rows(textOf('docs/guides/web-search.md')).flatMap(
    ([first = '']) => /^`(\w+)`$/.exec(first)?.[1] ?? [],
  );
  expect(listed).toEqual([...SEARCH_PRESETS]);
});

const shownNumber = (value: number | undefined): string => value?.toLocaleString('en-US') ?? '';

it('lists every rate limit with its default', () => {
  const limits = new Map<string, Limit>(
    apis.flatMap(({ routes }) => routes.flatMap(({ limit }) => (limit ? [[limit.name, limit] as const] : []))),
  );
  const listed = rows(textOf('docs/reference/limits.md'));
  expect(limits.size).toBeGreaterThan(15);
  for (const { name, minute, hour } of limits.values()) {
    const [, , perMinute, perHour = ''] = listed.find((cells) => cells[1] === `\`${name}\``) ?? [];
    expect([perMinute, perHour], name).toEqual([shownNumber(minute), shownNumber(hour)]);
  }
});

it('lists every error code of the client and of tasks', () => {
  const codes = [...textOf('client/src/errors.ts').matchAll(/^ {2}([A-Z_]+): '/gm)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(20);
  const page = textOf('docs/reference/errors.md');
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

const settings = textOf('docs/operations/settings.md');

it('lists the environment variables of the product on one machine, and no others', () => {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => {
        read.add(String(name));
        return undefined;
      },
    },
  );
  for (const config of [localConfig, modelsConfig, modelConfig, modelKeyConfig, seeingConfig, modelTableConfig])
    config(environment);
  for (const config of [documentCpuConfig, localSenderConfig, badCredentialsConfig, searchConfig]) config(environment);
  const listed = rows(settings).flatMap(([first = '']) => /^`(ERRAND_\w+)`$/.exec(first)?.[1] ?? []);
  expect(listed.toSorted()).toEqual([...read].toSorted());
});

it('lists the settings of a stage, and no others', () => {
  const section = settings.split(/^## /m).find((text) => text.startsWith('Stage settings')) ?? '';
  const listed = rows(section).flatMap(([first = '']) => [...first.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
  const app = textOf('infra/app.ts');
  const single = [...app.matchAll(/\bcontextValue\('([a-z-]+)'\)/g)].map(([, name]) => name);
  const domains = [...app.matchAll(/\bdomain\('(\w+)'\)/g)].flatMap(([, of]) => [`${of}-domain`, `${of}-certificate`]);
  expect(domains).toHaveLength(6);
  expect(listed.toSorted()).toEqual([...single, ...domains].toSorted());
});

it('says how often and when a webhook is sent, in the guide and in the README alone', () => {
  const waits = WAITS_MS.map((ms) =>
    ms < 60_000 ? `${ms / 1_000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`,
  );
  const schedule = `${waits.slice(0, -1).join(', ')} and ${waits.at(-1)}`;
  const guide = 'docs/guides/webhooks.md';
  expect(textOf(guide)).toContain(`up to ${MAX_ATTEMPTS} attempts, with waits of ${schedule} between them`);
  const days = Math.floor(WAITS_MS.reduce((sum, wait) => sum + wait, 0) / DAY_MS);
  expect(textOf('README.md')).toContain(`up to ${MAX_ATTEMPTS} attempts over ${days} days`);
  const naming = pages().filter(
    (page) => !/^(docs\/adr\/|CHANGELOG)/.test(page) && /\bup to (ten|\d+) attempts\b/.test(textOf(page)),
  );
  expect(naming.toSorted()).toEqual(['README.md', guide]);
});
