// Charts by Chart.js in the page's colours, drawn again where light and dark change.
const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const charts = {};

function styleCharts() {
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.color = colourOf('muted');
  Chart.defaults.borderColor = colourOf('line');
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.plugins.legend.display = false;
}

/** Draws `configuration` into the canvas of that id, instead of what is there. */
function drawChart(id, height, configuration) {
  if (charts[id]) charts[id].destroy();
  const canvas = byId(id);
  canvas.parentNode.style.height = height + 'px';
  charts[id] = new Chart(canvas, configuration);
  return charts[id];
}

/**
 * Horizontal bars. series: [{label, colour, values, stack: those of one are one bar}]; format: a value
 * and its place for the tooltip; options: {stacked, unit, hideNames, title: function of the place}.
 */
function drawBars(id, names, series, format, options = {}) {
  const perName = options.stacked ? new Set(series.map((one) => one.stack)).size : series.length;
  const height = Math.max(90, names.length * (10 + 13 * perName) + 56);
  const widest = options.nameWidth || (isNarrow() ? 16 : 34);
  return drawChart(id, height, {
    type: 'bar',
    data: {
      labels: names,
      datasets: series.map((one) => ({
        label: one.label, data: one.values, stack: one.stack, backgroundColor: colourOf(one.colour),
        maxBarThickness: 16, categoryPercentage: 0.82, barPercentage: 0.92,
      })),
    },
    options: {
      indexAxis: 'y',
      interaction: {mode: 'index', axis: 'y', intersect: false},
      scales: {
        x: {
          stacked: Boolean(options.stacked), beginAtZero: true,
          title: {display: Boolean(options.unit), text: options.unit},
          ticks: {maxTicksLimit: isNarrow() ? 4 : 7, maxRotation: 0},
        },
        y: {
          stacked: Boolean(options.stacked), grid: {display: false},
          ticks: {
            autoSkip: false, crossAlign: 'far', color: colourOf('ink'),
            callback: (value, place) => options.hideNames ? '' : cutText(names[place], widest),
          },
        },
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: (items) => wrapText(options.title ? options.title(items[0].dataIndex) : names[items[0].dataIndex]),
            label: (item) => `${item.dataset.label}: ${format(item.parsed.x, item.dataIndex)}`,
          },
        },
      },
    },
  });
}

/** Lines of at most 80 letters, eight of them: tooltips do not wrap. */
function wrapText(text) {
  const lines = text.match(/.{1,80}/gsu) || [''];
  return lines.length <= 8 ? lines : [...lines.slice(0, 8), '…'];
}

/** Calls draw() now, and again when the colours or the width of the window change. */
function keepDrawn(draw) {
  const redraw = () => { styleCharts(); draw(); };
  redraw();
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  window.matchMedia('(max-width: 760px)').addEventListener('change', redraw);
}
