/** The event sources of the functions: routes of the APIs, queues, schedules. Functions are named by their logical ids. */
import { resolve } from './resolve.ts';
import { idOfImagined, idsOf, type Look, type Template } from './template.ts';

/** `key` is a method and a path, or `$default`. */
export type ApiRoute = { key: string; functionId: string };
/** `input` is the event, if the schedule defines one. */
export type ScheduleMapping = { functionId: string; expression: string; input: unknown };
export type QueueMapping = { queueArn: string; functionId: string; batchSize: number; reportsFailures: boolean };

const SQS_BATCH = 10;
/** The ARN of a function, within the URI of a WebSocket API's integration. */
const ARN = /imagined:\w+:Arn/;

const apisOf = (template: Template, protocol: string): string[] =>
  idsOf(template, 'AWS::ApiGatewayV2::Api').filter(
    (id) => template.Resources[id]?.Properties?.ProtocolType === protocol,
  );

export const httpApis = (template: Template): string[] => apisOf(template, 'HTTP');
export const socketApis = (template: Template): string[] => apisOf(template, 'WEBSOCKET');

export async function routesOf(template: Template, api: string, look: Look): Promise<ApiRoute[]> {
  type Route = { ApiId: string; RouteKey: string; Target: string };
  const routes = await allOf<Route>(template, 'AWS::ApiGatewayV2::Route', look);
  const integrationOf = async (target: string) => {
    const { Properties } = template.Resources[target.replace('integrations/', '')] ?? {};
    return (await resolve(Properties, look)) as { IntegrationUri: string };
  };
  return Promise.all(
    routes
      .filter(({ ApiId }) => ApiId === api)
      .map(async ({ RouteKey, Target }) => {
        const { IntegrationUri } = await integrationOf(Target);
        return { key: RouteKey, functionId: idOfImagined(ARN.exec(IntegrationUri)?.[0] ?? IntegrationUri) };
      }),
  );
}

export async function queueMappings(template: Template, look: Look): Promise<QueueMapping[]> {
  type Mapping = {
    EventSourceArn: string;
    FunctionName: string;
    BatchSize?: number;
    Enabled?: boolean;
    FunctionResponseTypes?: string[];
  };
  const mappings = await allOf<Mapping>(template, 'AWS::Lambda::EventSourceMapping', look);
  return mappings
    .filter(({ Enabled = true }) => Enabled)
    .map(({ EventSourceArn, FunctionName, BatchSize = SQS_BATCH, FunctionResponseTypes = [] }) => ({
      queueArn: EventSourceArn,
      functionId: idOfImagined(FunctionName),
      batchSize: BatchSize,
      reportsFailures: FunctionResponseTypes.includes('ReportBatchItemFailures'),
    }));
}

export async function scheduleMappings(template: Template, look: Look): Promise<ScheduleMapping[]> {
  type Schedule = { ScheduleExpression: string; State?: string; Target: { Arn: string; Input?: string } };
  const schedules = await allOf<Schedule>(template, 'AWS::Scheduler::Schedule', look);
  return schedules
    .filter(({ State = 'ENABLED' }) => State === 'ENABLED')
    .map(({ ScheduleExpression, Target: { Arn, Input } }) => ({
      functionId: idOfImagined(Arn),
      expression: ScheduleExpression,
      input: Input === undefined ? undefined : JSON.parse(Input),
    }));
}

const allOf = async <T>(template: Template, type: string, look: Look): Promise<T[]> =>
  Promise.all(idsOf(template, type).map((id) => resolve(template.Resources[id]?.Properties ?? {}, look) as Promise<T>));
