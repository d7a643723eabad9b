import { expect, it } from 'vitest';
import { subjectFault } from '../scripts/commits.ts';

it.each([
  'fix(infra): reject malformed expiry dates',
  'docs: note the rebuilt layout',
  'refactor(bin,console): pass the clock in',
  `test(core): ${'a'.repeat(60)}`,
  'feat(mail): embed charts',
])('takes %s', (subject) => {
  expect(subjectFault(subject)).toBeUndefined();
});

it.each([
  ['Fix the build', /type\(scope\)/],
  ['fix(infra): Reject malformed dates', /lower case/],
  ['feature(infra): reject malformed dates', /type\(scope\)/],
  ['fix(infra) reject malformed dates', /type\(scope\)/],
  ['fix(infra): rejected malformed dates', /imperative instead of "rejected"/],
  ['fix(infra): rejects malformed dates', /imperative instead of "rejects"/],
  ['fix(infra): rejecting malformed dates', /imperative instead of "rejecting"/],
  [`test(core): ${'a'.repeat(61)}`, /73 characters, at most 72/],
])('refuses %s', (subject, reason) => {
  expect(subjectFault(subject)).toMatch(reason);
});
