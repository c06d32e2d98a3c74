// What every page begins with: the data, and errors that do not stay silent.
const data = JSON.parse(byId('data').textContent);
Chart.register && styleCharts();
$.fn.dataTable.ext.errMode = 'throw';
byId('version').textContent = 'nadi ' + data.version;
