/** Rules about queues, their consumers, and dead letters. */
import type { Any } from '../../support/any.ts';
import { breaches, every, isBuried, of, queues, type Rule, refOf, type Template, text } from './rule.ts';

const seconds = (template: Template, arn: Any): number => template.Resources[refOf(arn)]?.Properties.Timeout;
const isFed = (template: Template, id: string) =>
  of(template, 'AWS::Lambda::EventSourceMapping').filter(([, { Properties: p }]) => refOf(p.EventSourceArn) === id);

export const QUEUES: Rule[] = [
  {
    says: 'a queue hides a message for six times the time of whoever takes it',
    faults: (template) =>
      queues(template).flatMap(([id, { Properties: p }]) =>
        isFed(template, id).every(([, m]) => p.VisibilityTimeout >= 6 * seconds(template, m.Properties.FunctionName))
          ? []
          : [id],
      ),
    spoil: (template) => {
      const queue = queues(template)[0]?.[1];
      if (queue) queue.Properties.VisibilityTimeout -= 1;
    },
  },
  {
    says: 'every queue is taken from',
    faults: (template) => queues(template).flatMap(([id]) => (isFed(template, id).length === 1 ? [] : [id])),
    spoil: (template) => {
      const [id] = of(template, 'AWS::Lambda::EventSourceMapping')[0] ?? [''];
      delete template.Resources[id];
    },
  },
  every('of a batch only what failed comes again', 'AWS::Lambda::EventSourceMapping', {
    isRight: (p) => p.FunctionResponseTypes?.includes('ReportBatchItemFailures'),
    spoil: (p) => delete p.FunctionResponseTypes,
  }),
  every('queues feed so many at once and no more', 'AWS::Lambda::EventSourceMapping', {
    isRight: (p) => p.ScalingConfig?.MaximumConcurrency >= 2,
    spoil: (p) => delete p.ScalingConfig,
  }),
  {
    says: 'every queue has dead letters of its own, after at least five tries',
    faults: (template) => {
      const targets = queues(template).map(([, { Properties: p }]) => refOf(p.RedrivePolicy?.deadLetterTargetArn));
      const shared = targets.some((target, at) => targets.indexOf(target) < at);
      const bad = breaches(queues(template), (p) => !(p.RedrivePolicy?.maxReceiveCount >= 5));
      return [...bad, ...(shared ? ['dead letters of two queues'] : [])];
    },
    spoil: (template) => {
      const queue = queues(template)[0]?.[1];
      if (queue) queue.Properties.RedrivePolicy.maxReceiveCount = 1;
    },
  },
  {
    says: 'dead letters stay for the longest time there is',
    faults: (template) =>
      breaches(of(template, 'AWS::SQS::Queue').filter(isBuried), (p) => p.MessageRetentionPeriod !== 14 * 86_400),
    spoil: (template) => {
      const buried = of(template, 'AWS::SQS::Queue').find(isBuried)?.[1];
      if (buried) buried.Properties.MessageRetentionPeriod = 60;
    },
  },
  {
    says: 'dead letters are alarmed about, where anything is',
    faults: (template, { isKept, hasAlarms = isKept }) => {
      if (!hasAlarms) return of(template, 'AWS::CloudWatch::Alarm').map(([id]) => id);
      const alarmed = text(of(template, 'AWS::CloudWatch::Alarm'));
      const buried = of(template, 'AWS::SQS::Queue').filter(isBuried);
      return buried.flatMap(([id]) => (alarmed.includes(`"${id}"`) ? [] : [id]));
    },
    spoil: (template, { isKept, hasAlarms = isKept }) => {
      const alarm = { Type: 'AWS::CloudWatch::Alarm', Properties: {} };
      if (!hasAlarms) template.Resources.Stray = alarm;
      else for (const [id] of of(template, 'AWS::CloudWatch::Alarm')) delete template.Resources[id];
    },
  },
  {
    says: 'queues and the bucket refuse plain HTTP',
    faults: (template) => {
      const policies = [...of(template, 'AWS::SQS::QueuePolicy'), ...of(template, 'AWS::S3::BucketPolicy')];
      const guarded = policies
        .filter(([, p]) => text(p).includes('"aws:SecureTransport":"false"'))
        .map(([, p]) => text(p));
      const things = [...of(template, 'AWS::SQS::Queue'), ...of(template, 'AWS::S3::Bucket')];
      return things.flatMap(([id]) => (guarded.some((policy) => policy.includes(`"${id}"`)) ? [] : [id]));
    },
    spoil: (template) => {
      const [id] = of(template, 'AWS::SQS::QueuePolicy')[0] ?? [''];
      delete template.Resources[id];
    },
  },
];
