/** Rules about every function. */
import { breaches, eachFunction, functions, type Rule, refOf, text } from './rule.ts';

const SECRET_NAME = /SECRET|PASSW|TOKEN|KEY|CREDENTIAL/;
const HOLDS_NAMES = /_SECRET$/; // names of secrets, not their values

export const FUNCTIONS: Rule[] = [
  eachFunction('functions run on Node 24 and arm64', {
    isRight: (p) => p.Runtime === 'nodejs24.x' && text(p.Architectures) === '["arm64"]',
    spoil: (p) => (p.Architectures = ['x86_64']),
  }),
  eachFunction('functions are in no VPC', {
    isRight: (p) => !p.VpcConfig,
    spoil: (p) => (p.VpcConfig = { SubnetIds: [] }),
  }),
  {
    says: 'functions reserve no concurrency, but for the reconciler on request',
    faults: (template, { reserves = [] }) =>
      breaches(
        functions(template),
        (p, id) => (p.ReservedConcurrentExecutions !== undefined) !== reserves.some((name) => id.startsWith(name)),
      ),
    spoil: (template) => {
      for (const [, { Properties }] of functions(template)) Properties.ReservedConcurrentExecutions = 1;
    },
  },
  eachFunction('functions have a log group of the stack', {
    isRight: (p) => refOf(p.LoggingConfig?.LogGroup) !== '',
    spoil: (p) => delete p.LoggingConfig,
  }),
  eachFunction('functions have no name that a second deployment would meet', {
    isRight: (p) => p.FunctionName === undefined,
    spoil: (p) => (p.FunctionName = 'errand'),
  }),
  eachFunction('functions are told where secrets lie, never a secret', {
    isRight: ({ Environment: { Variables } }) =>
      Object.entries(Variables).every(
        ([name, value]) =>
          !text(value).includes('{{resolve:') && (!SECRET_NAME.test(name) || HOLDS_NAMES.test(name) || value === ''),
      ),
    spoil: (p) => (p.Environment.Variables.ERRAND_API_KEY = 'abc'),
  }),
  eachFunction('functions are told nothing that is not ours', {
    isRight: ({ Environment: { Variables } }) => Object.keys(Variables).every((name) => name.startsWith('ERRAND_')),
    spoil: (p) => (p.Environment.Variables.NODE_OPTIONS = '--inspect'),
  }),
  {
    says: 'functions have a role each, of their own',
    faults: (template) => {
      const roles = functions(template).map(([, { Properties }]) => refOf(Properties.Role));
      return roles.filter((role, at) => roles.indexOf(role) < at);
    },
    spoil: (template) => {
      const [one, other] = functions(template);
      if (one && other) one[1].Properties.Role = other[1].Properties.Role;
    },
  },
  eachFunction('functions measure into the namespace of their stage', {
    isRight: ({ Environment: { Variables } }) => /^Errand\/[a-z]/.test(Variables.ERRAND_METRICS ?? ''),
    spoil: (p) => delete p.Environment.Variables.ERRAND_METRICS,
  }),
];
