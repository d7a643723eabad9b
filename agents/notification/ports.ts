/** What the notification agent needs from outside. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ChartPng } from '../../engines/charts/chart-image.ts';
import type { Documents } from '../../engines/documents/documents.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { AgentInput } from '../../shared/agents/agent-input.ts';
import type { Blobs, Clock, Ids, Mailer, Secrets, Table } from '../../shared/ports.ts';
import type { Gather } from '../../shared/sources/source-item.ts';
import type { ApplyRule } from '../apply-rule.ts';
import type { NotificationPlan } from './state.ts';

/** The mail service, the sender's address, and the base URL of the links in emails. */
export type MailSending = { mailer: Mailer; sender: string; rootUrl: string };

export type NotificationPorts = {
  table: Table;
  clock: Clock;
  blobs: Blobs;
  ids: Ids;
  secrets: Secrets;
  gather: Gather;
  chartPng: ChartPng;
  documents: Pick<Documents, 'applyRule'>;
  modelOf: ModelOf;
  /** Undefined if no sender is configured. */
  sending: MailSending | undefined;
  /** Rejects with the signal's reason. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
};

export type NotificationSetting = {
  ports: NotificationPorts;
  plan: NotificationPlan;
  input: AgentInput<'notification_agent'>;
};

/** What asks a model about the items, and checks what it answers. */
export type Asking = {
  model: LanguageModelV4;
  /** Looks a second time. */
  verifier: LanguageModelV4;
  applyRule: ApplyRule;
  now: number;
  signal: AbortSignal;
};
