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

/** Opens an operation and shows it, as if the page had been opened at its address. */
const showOperation = (ui, tag, operation) => {
  ui.layoutActions.show(['operations-tag', tag], true);
  if (operation) ui.layoutActions.show(['operations', tag, operation], true);
  history.replaceState(null, '', `#/${[tag, operation].filter(Boolean).map(encodeURIComponent).join('/')}`);
  // Swagger UI draws the operation after this task.
  requestAnimationFrame(() => {
    const target = document.getElementById(operation ? `operations-${tag}-${operation}` : `operations-tag-${tag}`);
    target?.scrollIntoView({ block: 'start' });
    target?.querySelector('button, a')?.focus({ preventScroll: true });
  });
};

const linkTo = (ui, tag, operation, parts) => {
  const link = document.createElement('a');
  link.href = `#/${[tag, operation].filter(Boolean).map(encodeURIComponent).join('/')}`;
  link.append(...parts);
  link.addEventListener('click', (event) => {
    event.preventDefault();
    showOperation(ui, tag, operation);
  });
  return link;
};

const wide = matchMedia('(min-width: 64rem)');

/** Lists all operations by tag. The list is always open on a wide window, and closed on a narrow one until it is opened. */
const listContents = (ui) => {
  const contents = document.getElementById('contents');
  const { tags = [], paths = {} } = ui.specSelectors.specJson().toJS();
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([
        method,
        {
          operationId,
          tags: [tag],
          summary,
        },
      ]) => ({ path, method, operationId, tag, summary }),
    ),
  );
  for (const { name } of tags) {
    const heading = document.createElement('h2');
    heading.append(linkTo(ui, name, null, [name]));
    const list = document.createElement('ul');
    for (const { path, method, operationId, summary } of operations.filter(({ tag }) => tag === name)) {
      const verb = document.createElement('span');
      verb.className = method;
      verb.textContent = method.toUpperCase();
      const entry = document.createElement('li');
      const link = linkTo(ui, name, operationId, [verb, path]);
      link.title = summary;
      entry.append(link);
      list.append(entry);
    }
    contents.append(heading, list);
  }
  const follow = () => void (contents.open = wide.matches);
  wide.addEventListener('change', follow);
  follow();
};

const ui = SwaggerUIBundle({
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
  onComplete: () => listContents(ui),
});
