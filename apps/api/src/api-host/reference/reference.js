const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/**
 * Leaves the fields of a form empty, except for a place for the first file. Swagger UI would fill them with samples and send
 * all of them, so that no deploy could succeed.
 */
const emptyForms = () => ({
  wrapComponents: {
    JsonSchemaForm:
      (Field, { React }) =>
      (props) => {
        const fills = props.dispatchInitialValue && props.schema.get('type') === 'array';
        return React.createElement(Field, { ...props, dispatchInitialValue: fills });
      },
  },
});

/** Swagger UI sends fields that are empty, and a JSON array as one field for each of its elements. */
const sendWhatWasTyped = (request) => {
  if (!(request.body instanceof FormData)) return request;
  for (const name of ['checksums', 'labels']) {
    const elements = request.body.getAll(name).filter((element) => element !== '');
    if (elements.length > 0) request.body.set(name, JSON.stringify(elements));
  }
  for (const name of new Set(request.body.keys())) if (request.body.get(name) === '') request.body.delete(name);
  return request;
};

SwaggerUIBundle({
  url: '/openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  plugins: [emptyForms],
  requestInterceptor: sendWhatWasTyped,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // A credential is kept for as long as the page is open, and nowhere else.
  persistAuthorization: false,
  // The badge would ask a foreign service about this document.
  validatorUrl: null,
});
