/** A record of one document by the rules alone, as the thread and the agent make it between them. */

import { finishRecord } from '../../../agents/records/finish-record.ts';
import type { toParsedDocument } from '../../../agents/records/invoices/labelled-rules.ts';
import { findRecord } from '../../../agents/records/matching/find-record.ts';
import type { RecordPlan } from '../../../agents/records/record-plan.ts';
import type { TestPatterns } from '../../../agents/records/test-patterns.ts';

type BuildRecord = {
  plan: RecordPlan;
  parsed: ReturnType<typeof toParsedDocument>;
  document: number;
  testPatterns: TestPatterns;
};

export const buildRecord = ({ testPatterns, ...request }: BuildRecord) =>
  finishRecord({ plan: request.plan, testPatterns }, findRecord(request));
