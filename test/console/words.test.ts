import { describe, expect, it } from 'vitest';
import { ago, bytes, count, duration, exactTime, words } from '../../console/format.ts';
import { store } from '../../console/store.ts';
import { claimsIn } from '../../console/token-claims.ts';
import { remedyOf, sentence } from '../../console/ui/fault.tsx';
import { Warnings } from '../../console/ui/parts.tsx';

const NOW = Date.parse('2026-11-22T12:00:00.000Z');
const earlier = (ms: number) => new Date(NOW - ms).toISOString();

describe('texts of the console', () => {
  it('state how long ago', () => {
    expect(ago(earlier(1_000), NOW)).toBe('just now');
    expect(ago(earlier(-30_000), NOW)).toBe('in a moment');
    expect(ago(earlier(-5_000), NOW, true)).toBe('in less than a minute');
    expect(ago(earlier(1_000), NOW, true)).toBe('due now');
    expect(ago(earlier(90_000), NOW)).toBe('1 minute ago');
    expect(ago(earlier(7_200_000), NOW)).toBe('2 hours ago');
    expect(ago(earlier(-86_400_000), NOW)).toBe('in 1 day');
    expect(ago(earlier(30 * 86_400_000), NOW)).toContain('Oct 2026');
    expect(ago(null, NOW)).toBe('—');
    expect(exactTime('nonsense')).toBe('—');
  });

  it('format figures, sizes, durations and names', () => {
    expect(count(10_000)).toBe('10,000');
    expect([bytes(0), bytes(1), bytes(999), bytes(1_500), bytes(41_234), bytes(5_000_000_000)]).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.5 KB',
      '41 KB',
      '5.0 GB',
    ]);
    expect([duration(0.05), duration(2.5), duration(90), duration(null)]).toEqual([
      '3 s',
      '2 min 30 s',
      '1 h 30 min',
      '—',
    ]);
    expect(words('key_findings')).toBe('Key findings');
    expect(['urls', 'ibans', 'vat_numbers', 'emails', 'xlsx', 'constructor'].map(words)).toEqual([
      'URLs',
      'IBANs',
      'VAT numbers',
      'E-mail addresses',
      'XLSX',
      'Constructor',
    ]);
  });

  it('say what to do about an error, and when', () => {
    expect(remedyOf({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 })).toContain('in 1 second.');
    expect(remedyOf({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1_700 })).toContain('in 29 minutes.');
    expect(remedyOf({ code: 'INSUFFICIENT_RESOURCES' })).toContain('in a moment');
    expect(remedyOf({ code: 'FORBIDDEN' })).toContain('role');
    expect(remedyOf({ code: 'INTERNAL_ERROR', requestId: 'x' })).toContain('request id');
  });

  it('mention a request id or marked fields only if they exist', () => {
    expect(remedyOf({ code: 'INTERNAL_ERROR' })).toBe('Try again.');
    expect(remedyOf({ code: 'TASK_VALIDATION_FAILED' })).not.toContain('marked');
  });

  it('end with a full stop before the next sentence', () => {
    expect(sentence('http://127.0.0.1:4501 cannot be reached')).toBe('http://127.0.0.1:4501 cannot be reached.');
    expect([sentence('Task not found'), sentence('endpoint is required. '), sentence('Why?')]).toEqual([
      'Task not found.',
      'Endpoint is required.',
      'Why?',
    ]);
  });
});

describe('a token', () => {
  const token = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

  it('contains the role of its bearer', () => {
    expect(claimsIn(token({ role: 'viewer', name: 'Zoë' }))).toEqual({ role: 'viewer', name: 'Zoë' });
  });

  it('distinguishes its bearer from all others, also of the same name', () => {
    const people = [token({ org: 'o1', sub: 'u1' }), token({ org: 'o1', sub: 'u2' }), token({ org: 'o2', sub: 'u1' })];
    expect(new Set(people.map((each) => claimsIn(each).person)).size).toBe(3);
    expect(claimsIn(token({ org: 'o1' })).person).toBeUndefined();
  });

  it('is ignored when it is unreadable or has an unknown role', () => {
    for (const text of ['', 'x', 'a.%%%.c', token(null), token([]), token({ role: 'god', name: 7 })]) {
      expect(claimsIn(text), text).toEqual({ role: undefined, name: undefined });
    }
  });
});

describe('a store', () => {
  it('reports changes, not repeats, and stops without subscribers', () => {
    const heard: number[] = [];
    const value = store(1);
    const stop = value.subscribe(() => heard.push(value.get()));
    value.set(1);
    value.set(2);
    stop();
    value.set(3);
    expect(heard).toEqual([2]);
  });
});

describe('warnings of a task', () => {
  /** The texts of a stateless component in their order. */
  const textsIn = (node: unknown): string[] => {
    if (typeof node === 'string') return [node];
    if (Array.isArray(node)) return node.flatMap(textsIn);
    const { props } = (node ?? {}) as { props?: { children?: unknown } };
    return textsIn(props?.children ?? []);
  };

  it('are shown once each, as sentences', () => {
    const warnings = [
      'the field "depht" was ignored; did you mean "depth"?',
      'no source mentions Atlantis',
      'no source mentions Atlantis',
    ];
    expect(textsIn(Warnings({ warnings }))).toEqual([
      'Warnings',
      'The field "depht" was ignored; did you mean "depth"?',
      'No source mentions Atlantis.',
    ]);
  });

  it('take no space if there are none', () => {
    expect([Warnings({ warnings: [] }), Warnings({})]).toEqual([null, null]);
  });
});
