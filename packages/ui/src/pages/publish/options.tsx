import './options.css';
import { ChevronRight, Globe, Lock, type LucideIcon, Tag } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Field, LabelsField, PasswordField } from '../../components/field.tsx';
import { useAccount } from '../../state/account.ts';
import { useNextDrop } from '../../state/next-drop.ts';
import { domainError } from '../../text/validate.ts';

/** The options of the next drop. The form is collapsed at first, but options that are set stay visible. */
export function Options() {
  const { options, clear, formKey } = useNextDrop();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const optionTag = (Icon: LucideIcon, text: string) => (
    <span key={text} className="options-set">
      <Icon size={13} aria-hidden /> {text}
    </span>
  );
  const isSet = Object.keys(options).length > 0;
  return (
    <section aria-label="Options of the next drop">
      <div className="options-head">
        <button
          type="button"
          className="options-toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={15} aria-hidden />
          {isSet ? 'The next drop gets' : 'Domain, password, labels'}
        </button>
        {options.domain !== undefined && optionTag(Globe, options.domain)}
        {options.password !== undefined && optionTag(Lock, 'a password')}
        {options.labels?.map((label) => optionTag(Tag, label))}
        {isSet && <Button label="Clear" small variant="quiet" onClick={clear} />}
      </div>
      <div id={id}>{isOpen && <OptionFields key={formKey} />}</div>
    </section>
  );
}

function OptionFields() {
  const { options, set } = useNextDrop();
  const { hasAccess } = useAccount();
  const { domain = '', labels = [], password } = options;
  const setOption = (name: 'domain' | 'password' | 'labels', value: string | string[] | undefined) => {
    const { [name]: _before, ...others } = options;
    set(value === undefined || value.length === 0 ? others : { ...others, [name]: value });
  };
  return (
    <div className="options-fields">
      <Field
        label="Domain"
        placeholder="docs, or www.example.com"
        value={domain}
        disabled={!hasAccess}
        error={domain === '' ? null : domainError(domain)}
        hint={hasAccess ? 'The next drop is published at this address.' : 'Sign in to use a domain.'}
        onText={(text) => setOption('domain', text.trim())}
      />
      <PasswordField password={password} onPassword={(typed) => setOption('password', typed)} />
      <LabelsField labels={labels} onChange={(next) => setOption('labels', next)} />
    </div>
  );
}
