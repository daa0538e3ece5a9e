import './form.css';
import type { ComponentProps, ReactNode } from 'react';
import type { Submit } from '../state/requests.ts';
import { Button } from './button.tsx';
import { ProblemBox } from './status.tsx';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  /** Whether the form can be submitted. */
  isReady: boolean;
  onSubmit: () => unknown;
}

export function Form({ isReady, onSubmit, ...rest }: FormProps) {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
    />
  );
}

interface FieldFormProps extends FormProps {
  button: ComponentProps<typeof Button>;
  request: Submit;
}

/** A form with a field and a button beside it. If the command of the form fails, its problem appears below the field. */
export function FieldForm({ button, request, children, ...form }: FieldFormProps) {
  return (
    <Form {...form}>
      <div className="field-form">
        {children}
        <Button type="submit" busy={request.isBusy} disabled={!form.isReady} {...button} />
      </div>
      <ProblemBox problem={request.problem} />
    </Form>
  );
}

interface DialogFormProps extends FormProps {
  label: string;
  request: Submit;
  /** A question that replaces the buttons. */
  question?: ReactNode;
  onCancel: () => void;
}

/** The form of a dialog: its fields, the problem of a failed command, and buttons to cancel and to submit the form. */
export function DialogForm({ label, request, question, onCancel, children, ...form }: DialogFormProps) {
  return (
    <Form className="dialog-body" {...form}>
      {children}
      <ProblemBox problem={request.problem} />
      {question || (
        <div className="dialog-foot">
          <Button label="Cancel" onClick={onCancel} />
          <Button label={label} type="submit" variant="primary" busy={request.isBusy} disabled={!form.isReady} />
        </div>
      )}
    </Form>
  );
}
