/** The functions that have an event source. */
import { join } from 'node:path';
import { resolve } from './resolve.ts';
import { type Statement, statementsOf } from './statements.ts';
import { idOfImagined, type Look, type Template } from './template.ts';

export type FunctionPlan = {
  name: string;
  /** Contains exactly the files that the CDK would upload. */
  folder: string;
  handler: string;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMegabytes: number;
  statements: Statement[];
};

type Properties = {
  Code: { S3Key: string };
  Environment?: { Variables: Record<string, string> };
  Handler: string;
  MemorySize: number;
  Role: string;
  Timeout: number;
};

export async function functionPlan(o: {
  template: Template;
  id: string;
  look: Look;
  assembly: string;
}): Promise<FunctionPlan> {
  const { template, id, look, assembly } = o;
  const properties = (await resolve(template.Resources[id]?.Properties, look)) as Properties;
  return {
    name: functionName(id),
    folder: join(assembly, `asset.${properties.Code.S3Key.replace(/\.zip$/, '')}`),
    handler: properties.Handler,
    environment: properties.Environment?.Variables ?? {},
    timeoutSeconds: properties.Timeout,
    memoryMegabytes: properties.MemorySize,
    statements: await statementsOf(template, idOfImagined(properties.Role), look),
  };
}

/** The bundle of a logical id: `FilesAndTasks`, with or without `Function` and the eight digits of CDK, runs `files-and-tasks`. */
export const functionName = (id: string): string =>
  id
    .replace(/(Function)?[0-9A-F]{8}$/, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase();
