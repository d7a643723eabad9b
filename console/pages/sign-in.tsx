/** Sign-in with a password, or with a token of the organization's single sign-on. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ErrandError, Login } from '../../client/src/index.ts';
import { faultOf } from '../api.ts';
import { config } from '../config.ts';
import { fieldAt } from '../contract/validate.ts';
import { CREDENTIALS } from '../contract/words.ts';
import { useStore } from '../hooks.ts';
import { endReason, signIn } from '../session.ts';
import { Fault } from '../ui/fault.tsx';
import { isFirstPage } from '../ui/parts.tsx';

type Way = 'password' | 'sso';

export function SignInPage() {
  const why = useStore(endReason);
  const [way, setWay] = useState<Way>('password');
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = 'Sign in · Errand';
    if (!isFirstPage()) heading.current?.focus();
  }, []);
  return (
    <main class="door">
      <div class="card">
        <p class="brand">Errand</p>
        <h1 ref={heading} tabIndex={-1}>
          Sign in
        </h1>
        {why === 'expired' && (
          <p class="notice" role="status">
            Your session has expired after an hour. Sign in again to continue where you were.
          </p>
        )}
        {why === 'signed-out' && (
          <p class="notice" role="status">
            You are signed out.
          </p>
        )}
        <Form way={way} key={way} />
        <p>
          <button type="button" class="link" onClick={() => setWay(way === 'password' ? 'sso' : 'password')}>
            {way === 'password' ? 'Sign in with SSO' : 'Use a user name and password'}
          </button>
        </p>
      </div>
    </main>
  );
}

function Form({ way }: { way: Way }) {
  const [fault, setFault] = useState<ErrandError>();
  const [isBusy, setBusy] = useState(false);
  const enter = async (login: Login, name: string) => {
    setBusy(true);
    setFault(undefined);
    await signIn(login, name).catch((error) => {
      setFault(faultOf(error));
      setBusy(false);
    });
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? '');
    if (way === 'sso') return enter({ ssoToken: text('token').trim() }, '');
    return enter({ username: text('username').trim(), password: text('password') }, text('username').trim());
  };
  return (
    <>
      <Fault fault={fault} />
      <form onSubmit={submit} class="stack">
        {way === 'password' ? <Password /> : <SsoToken />}
        <button type="submit" class="button main wide" aria-disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
      {way === 'password' && <DemoUsers onEnter={enter} />}
    </>
  );
}

const Password = () => (
  <>
    <label class="field">
      <span>User name</span>
      <input
        name="username"
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
        required
        maxLength={fieldAt(CREDENTIALS, 'username').schema.maxLength}
      />
    </label>
    <label class="field">
      <span>Password</span>
      <input
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxLength={fieldAt(CREDENTIALS, 'password').schema.maxLength}
      />
    </label>
  </>
);

const SsoToken = () => (
  <label class="field">
    <span>ID token</span>
    <textarea name="token" rows={5} spellcheck={false} autocomplete="off" required />
    <small class="muted">The ID token from your organization’s SSO.</small>
  </label>
);

/** Only on one machine, where the page is not public. */
function DemoUsers({ onEnter }: { onEnter: (login: Login, name: string) => void }) {
  const demoUsers = config.local?.demoUsers ?? [];
  if (demoUsers.length === 0) return null;
  return (
    <div class="stack demo">
      <p class="small muted">On this machine:</p>
      {demoUsers.map(({ organization, username, password }) => (
        <button
          key={username}
          type="button"
          class="button wide"
          onClick={() => onEnter({ username, password }, username)}
        >
          Enter as {organization}
        </button>
      ))}
    </div>
  );
}
