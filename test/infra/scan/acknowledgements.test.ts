/** Each finding of the scanners is fixed or acknowledged with a reason, and the acknowledgements do not outlive the findings. */
import { expect, it } from 'vitest';
import acknowledged from './acknowledged.json' with { type: 'json' };
import { type Acknowledgement, compare, type Finding, withoutHash } from './acknowledgements.ts';

const STAGES = ['production', 'branch'];
const finding = (change: Partial<Finding> = {}): Finding => ({
  stage: 'production',
  check: 'CKV_1',
  resource: 'MainBucket',
  says: 'Ensure it',
  ...change,
});
const entry = (change: Partial<Acknowledgement> = {}): Acknowledgement => ({
  check: 'CKV_1',
  resources: ['*Bucket'],
  reason: 'It is empty.',
  ...change,
});

it('leaves a finding open that has another check, resource or stage than the acknowledgements', () => {
  const findings = [
    finding(),
    finding({ check: 'CKV_2' }),
    finding({ resource: 'BucketOfOthers' }),
    finding({ stage: 'branch' }),
  ];
  expect(compare(findings, [entry({ stages: ['production'] })], STAGES)).toEqual({ open: findings.slice(1), idle: [] });
  expect(compare(findings, [entry()], STAGES).open).toEqual(findings.slice(1, 3));
});

it('reports each part of an acknowledgement that no scanner finds any more', () => {
  const [lazy, limited] = [entry({ resources: ['*Bucket', 'Gone'] }), entry({ stages: STAGES })];
  expect(compare([finding()], [lazy, limited], STAGES)).toEqual({
    open: [],
    idle: ['CKV_1 of Gone', 'CKV_1 of *Bucket in branch'],
  });
});

it('compares resources without the hash that the CDK appends', () => {
  expect(withoutHash('StateTable962DE04C')).toBe('StateTable');
  expect(withoutHash('Faulty')).toBe('Faulty');
});

it('gives a reason of one sentence for each acknowledged check', () => {
  for (const { check, reason } of acknowledged) expect(reason, check).toMatch(/^[A-Z].{30,}\.$/);
});
