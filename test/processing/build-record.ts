/** A record of one document by the rules alone, as the thread and the agent make it between them. */
import type { paperOf } from '../../agents/processing/labelled/labelled-rules.ts';
import { finishRecord } from '../../agents/processing/record/finish-record.ts';
import { findRecord } from '../../agents/processing/record/matching/find-record.ts';
import type { RecordPlan } from '../../agents/processing/record/record-plan.ts';
import type { TestPatterns } from '../../agents/processing/record/test-patterns.ts';

type BuildRecord = {
  plan: RecordPlan;
  paper: ReturnType<typeof paperOf>;
  document: number;
  testPatterns: TestPatterns;
};

export const buildRecord = ({ testPatterns, ...request }: BuildRecord) =>
  finishRecord({ plan: request.plan, testPatterns }, findRecord(request));
