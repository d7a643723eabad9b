/** The templates that are recorded and compared: of a stage that is kept, with all that can be set, and of one that is not. */
import type { Any } from '../support/any.ts';
import { EVERY_SETTING } from '../infra/every-setting.ts';
import { templateOf } from '../infra/stack.ts';

const STAGES: Record<string, Record<string, string>> = { production: EVERY_SETTING, branch: {} };

export const templatesOfStages = (folder: string): Record<string, Any> =>
  Object.fromEntries(
    Object.entries(STAGES).map(([stage, given]) => [stage, templateOf(folder, stage, undefined, given).toJSON()]),
  );
