import { describe, expect, it } from 'vitest';
import { hrefOf, matchPath, placeOf } from '../../console/location.ts';

describe('the location in the console', () => {
  it('is the part of the URL after the #, with its query', () => {
    const { path, query } = placeOf('#/agents?status=failed&offset=25');
    expect(path).toBe('/agents');
    expect(Object.fromEntries(query)).toEqual({ status: 'failed', offset: '25' });
  });

  it('is the first page if that part is empty', () => {
    expect(placeOf('').path).toBe('/');
    expect(placeOf('#').path).toBe('/');
  });

  it('becomes a URL that leads back to it, without empty parameters', () => {
    const href = hrefOf('/agents', { status: 'a&b=c', offset: 0, type: '', sort: undefined });
    expect(href).toBe('#/agents?status=a%26b%3Dc&offset=0');
    expect(placeOf(href).query.get('status')).toBe('a&b=c');
  });

  it('returns the parts that a pattern names', () => {
    expect(matchPath('/agents/:id', '/agents/task_1')).toEqual({ id: 'task_1' });
    expect(matchPath('/agents/:id', '/agents/a%2Fb')).toEqual({ id: 'a/b' });
    expect(matchPath('/agents', '/agents/')).toEqual({});
  });

  it('is not a page when a part is missing, extra, or malformed', () => {
    expect(matchPath('/agents/:id', '/agents')).toBeUndefined();
    expect(matchPath('/agents/:id', '/agents/')).toBeUndefined();
    expect(matchPath('/agents', '/agents/x')).toBeUndefined();
    expect(matchPath('/agents/:id', '/agents/%E0%A4%A')).toBeUndefined();
  });
});
