/** Our own rules over the templates of both kinds of stage, each tested with a template that breaks it. */
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EVERY_SETTING } from './every-setting.ts';
import { DATA } from './rules/data.ts';
import { DOORS } from './rules/doors.ts';
import { ENCRYPTION } from './rules/encryption.ts';
import { FUNCTIONS } from './rules/functions.ts';
import { QUEUES } from './rules/queues.ts';
import { ROLES } from './rules/roles.ts';
import type { Template } from './rules/rule.ts';
import { emptyBundles, templateOf } from './stack.ts';

const RULES = [...FUNCTIONS, ...ROLES, ...QUEUES, ...DATA, ...DOORS, ...ENCRYPTION];

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe.each([
  { stage: 'branch', isKept: false, given: {} },
  { stage: 'production', isKept: true, given: {} },
  {
    stage: 'full',
    isKept: false,
    hasAlarms: true,
    hasWebSocketLog: true,
    reserves: ['Reconcile'],
    kmsKey: EVERY_SETTING['kms-key'],
    given: EVERY_SETTING,
  },
])('in the stage $stage', ({ stage, given, ...about }) => {
  const template = templateOf(folder.path, stage, emptyBundles(folder.path), given).toJSON() as Template;

  it.each(RULES)('$says', ({ faults, spoil }) => {
    expect(faults(template, about)).toEqual([]);
    const spoiled = structuredClone(template);
    spoil(spoiled, about);
    expect(faults(spoiled, about)).not.toEqual([]);
  });
});

it('has at least as many rules as before', () => {
  expect(RULES.length).toBeGreaterThanOrEqual(35);
  expect(new Set(RULES.map(({ says }) => says)).size).toBe(RULES.length);
});
