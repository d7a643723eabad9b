/** Errors as AWS's clients throw them. */
import { definedFields } from '../../../shared/core/optional-fields.ts';

type ServiceError = Error & { code?: string; $metadata?: { httpStatusCode?: number; attempts?: number } };

/** The error of a client for a service's refusal. */
export const serviceError = (name: string, httpStatusCode: number, more: object = {}): ServiceError =>
  Object.assign(new Error(`secret ${name}`), { name, $metadata: { httpStatusCode, attempts: 1 }, ...more });

/** The fields of a client's error that the cause of an adapter's error keeps. */
export const keptFields = ({ name, message, code, $metadata }: ServiceError) => ({
  name,
  message,
  ...definedFields({ code, $metadata }),
});
