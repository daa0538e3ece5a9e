import './form.css';
import type { ComponentProps, ReactNode } from 'react';
import type { Submit } from '../state/requests.ts';
import { Button } from './button.tsx';
import { ProblemBox } from './status.tsx';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  /** Whether the form can be submitted. Default: true. */
  isReady?: boolean;
  onSubmit: () => unknown;
}

/** A form that the page handles itself. */
export function Form({ isReady = true, onSubmit, ...rest }: FormProps) {
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
  isReady: boolean;
  button: ComponentProps<typeof Button>;
  /** The state of the command that the form sends. */
  request: Submit;
}

/** A form with one field, the button beside it, and below them why its command failed. */
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
  isReady: boolean;
  /** The text of the button that submits the form. */
  label: string;
  /** The state of the command that the form sends. */
  request: Submit;
  /** Shown instead of the buttons. */
  question?: ReactNode;
  onCancel: () => void;
}

/** The form of a dialog: its fields, why its command failed, and the buttons that cancel and submit it. */
export function DialogForm({ label, request, question, onCancel, children, ...form }: DialogFormProps) {
  return (
    <Form className="dialog-body" {...form}>
      {children}
      <ProblemBox problem={request.problem} />
      {question || (
        <div className="dialog-foot">
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" variant="primary" busy={request.isBusy} disabled={!form.isReady}>
            {label}
          </Button>
        </div>
      )}
    </Form>
  );
}
