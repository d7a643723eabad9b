import { expect, expectTypeOf, it } from 'vitest';
import { agents } from '../../../functions/agents/api.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { matcher } from '../../../functions/http/matcher.ts';
import type { route } from '../../../functions/http/route.ts';

type Stated = Parameters<typeof route<object, 'member'>>[0];

it('does not compile without a declared caller', () => {
  expectTypeOf<Stated>().toHaveProperty('caller');
  expectTypeOf<Omit<Stated, 'caller'>>().not.toExtend<Stated>();
});

it('has no two routes for one method and path', () => {
  for (const { routes } of [agents, filesAndTasks]) {
    const names = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`);
    expect(new Set(names).size).toBe(names.length);
  }
});

const find = matcher([
  { method: 'GET', path: '/a/:id' },
  { method: 'POST', path: '/a' },
  { method: 'GET', path: '/a/b/:id/c' },
] as const);

it('finds a route and the parts of its path', () => {
  expect(find('GET', '/a/x%20y')).toEqual({ route: { method: 'GET', path: '/a/:id' }, params: { id: 'x y' } });
  expect(find('GET', '/a/%zz').params).toEqual({ id: '%zz' });
  expect(find('GET', '/a/__proto__').params).toEqual({ id: '__proto__' });
});

it.each(['/', '', '/a/', '/b', '/a/b/c', '/a/b/x/c/', '//a'])('finds no route for %j', (path) => {
  expect(() => find('GET', path)).toThrow('Not found.');
});

it('finds the GET route for HEAD, and for no other method', () => {
  expect(find('HEAD', '/a/x')).toEqual(find('GET', '/a/x'));
  expect(() => find('HEAD', '/a')).toThrow('This path accepts POST.');
});

it('lists the methods that a path allows', () => {
  expect(() => find('POST', '/a/x')).toThrow('This path accepts GET, HEAD.');
  expect(() => find('DELETE', '/a')).toThrow('This path accepts POST.');
});
